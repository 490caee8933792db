import { machineClock, type Clock } from "./clock.ts";
import type { Connections } from "./connections.ts";
import { isSuccess, statusOf, type Figures } from "./figures.ts";
import { openLoop } from "./open-loop.ts";
import { saturate, type Saturation } from "./saturate.ts";
import { Unfinished, type Request, type Sent } from "./request.ts";
import { scheduleOf, type Stage } from "./schedule.ts";

/** A part of a load: it saturates the server, or starts whole paths by a schedule. */
export type Part<R extends Request = Request> =
  | {
      kind: "closed";
      requests: readonly R[];
      concurrentRequests: number;
      seconds: number;
      /** Null: no bound. */
      maxAnswers: number | null;
    }
  | {
      kind: "open";
      /** Each start sends the requests of the next path one after another. */
      paths: readonly (readonly R[])[];
      stages: readonly Stage[];
      /** Appended to the name of the whole path in the figures. */
      suffix: string;
      share?: { index: number; of: number; startAt: number };
    };

/** What performs a part. */
export interface Performer<R extends Request> {
  /** Where a closed part is sent. */
  server: Pick<Saturation<R>, "baseUrl" | "ca">;
  /** What an open part is sent over. */
  connections: Connections;
  figures: Figures;
  /** Whether an answer is what its request was sent for; any success by default. */
  isExpected?: (sent: Sent<R>) => boolean;
  /** Receives every answer once it is counted. */
  onSent: (sent: Sent<R>) => void;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

export interface PartEnd {
  seconds: number;
  /** Starts of an open loop that were left out because too much was under way. */
  leftOut: number;
}

/** Performs a part in this process. */
export async function performPart<R extends Request>(
  part: Part<R>,
  performer: Performer<R>,
): Promise<PartEnd> {
  const {
    server,
    connections,
    figures,
    onSent,
    isExpected = isSuccess,
    clock = machineClock,
    signal,
  } = performer;
  if (part.kind === "closed") {
    const maxAnswers = part.maxAnswers ?? Infinity;
    const take = (sent: Sent<R>): void => {
      figures.take(sent, isExpected(sent));
      onSent(sent);
    };
    const { requests, concurrentRequests } = part;
    const seconds = await saturate({
      ...server,
      requests,
      connections: concurrentRequests,
      seconds: part.seconds,
      maxAnswers,
      onSent: take,
      clock,
      signal,
    });
    return { seconds, leftOut: 0 };
  }
  const { paths, suffix, share } = part;
  const startAt = clock.now();
  const { leftOut } = await openLoop({
    schedule: scheduleOf(part.stages),
    ...(share && { share }),
    onStart: (lateMs) => figures.started(lateMs),
    begin: (index, startedAt, ended) =>
      sendPath(performer, paths[index % paths.length]!, suffix, startedAt, ended),
    cut: () => connections.cut(new Unfinished()),
    clock,
    signal,
  });
  return { seconds: (clock.now() - startAt) / 1000, leftOut };
}

/** Sends the requests of a path one after another, up to one without an answer, and counts the path as a whole. */
function sendPath<R extends Request>(
  { connections, figures, onSent, isExpected = isSuccess }: Performer<R>,
  path: readonly R[],
  suffix: string,
  startedAt: number,
  ended: () => void,
): void {
  let unexpected: number | undefined;
  const send = (index: number): void =>
    connections.send(path[index]!, (sent) => {
      const { answer, answeredAt } = sent;
      const goesOn = !(answer instanceof Error) && index + 1 < path.length;
      // The next request is sent before this answer is looked at, so that judging does not make the path longer.
      if (goesOn) send(index + 1);
      const expected = isExpected(sent);
      figures.take(sent, expected);
      if (!expected) unexpected ??= statusOf(answer);
      if (!goesOn) {
        const status = unexpected ?? statusOf(answer);
        figures.takeWhole(status, unexpected === undefined, answeredAt - startedAt, suffix);
        ended();
      }
      onSent(sent);
    });
  send(0);
}
