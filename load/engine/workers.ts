import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { PackedFigures } from "./figures.ts";
import type { Part, PartEnd } from "./part.ts";
import type { Request } from "./request.ts";

/** A message to a worker: the next part of a load of a server, or the end of the one under way. */
export type Order =
  | {
      baseUrl: string;
      /** Another trusted certificate (PEM). */ ca?: string | undefined;
      part: Part;
      grain: number;
    }
  | "stop";

/** A message from a worker, after its first one, "ready": its new figures and, when its part ends, what it found. */
export interface Told<Found> {
  figures: PackedFigures;
  done?: PartEnd & { found: Found };
}

/** Sending processes. */
export interface Workers {
  /** Divides a part among them. */
  share(order: Exclude<Order, string>): Promise<PartEnd>;
  /** Ends the parts under way early. */
  stop(): void;
  close(): void;
}

/** The time in milliseconds after which processes begin an open loop together. */
const togetherMs = 50;

/**
 * Starts sending processes.
 * @param module the file that they run
 * @param onFigures called about twice a second with the counts of a process since
 */
export function openWorkers<Found>(
  count: number,
  module: URL,
  { onFigures, onFound }: { onFigures: (figures: PackedFigures) => void; onFound: (found: Found) => void },
): Workers {
  const workers = Array.from({ length: count }, () => startWorker<Found>(module, onFigures));
  return {
    async share({ part, ...order }) {
      await Promise.all(workers.map(({ ready }) => ready));
      const startAt = performance.timeOrigin + performance.now() + togetherMs;
      const ends = await Promise.all(
        workers.map((worker, index) =>
          worker.perform({ ...order, part: shareOf(part, { index, of: count, startAt }) }),
        ),
      );
      for (const { found } of ends) onFound(found);
      return {
        seconds: Math.max(...ends.map(({ seconds }) => seconds)),
        leftOut: ends.reduce((sum, { leftOut }) => sum + leftOut, 0),
      };
    },
    stop() {
      for (const worker of workers) worker.stop();
    },
    close() {
      for (const worker of workers) worker.close();
    },
  };
}

/** The share of one of several processes in a part. */
function shareOf(part: Part, share: { index: number; of: number; startAt: number }): Part {
  if (part.kind === "open") return { ...part, share };
  const { requests, concurrentRequests, maxAnswers } = part;
  const from = Math.floor((share.index * requests.length) / share.of);
  const divided = (whole: number): number => Math.max(1, Math.round(whole / share.of));
  return {
    ...part,
    requests: [...requests.slice(from), ...requests.slice(0, from)] satisfies Request[],
    concurrentRequests: divided(concurrentRequests),
    maxAnswers: maxAnswers === null ? null : divided(maxAnswers),
  };
}

function startWorker<Found>(module: URL, onFigures: (figures: PackedFigures) => void) {
  const child: ChildProcess = fork(module);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`a worker process ended with status ${String(code)} before its part was done`);
  });
  ended.catch(() => undefined);
  return {
    /** Its first message says that it can begin. */
    ready: Promise.race([once(child, "message"), ended]),
    perform(order: Order): Promise<PartEnd & { found: Found }> {
      const done = new Promise<PartEnd & { found: Found }>((resolve) => {
        const listen = ({ figures, done: end }: Told<Found>): void => {
          onFigures(figures);
          if (end === undefined) return;
          child.off("message", listen);
          resolve(end);
        };
        child.on("message", listen);
      });
      child.send(order);
      return Promise.race([done, ended]);
    },
    stop: () => void child.send("stop" satisfies Order),
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}
