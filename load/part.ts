import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { Secrets } from "../conformance/target/secrets.ts";
import { closedLoop, type Unanswered } from "./closed-loop.ts";
import { Figures, type PackedFigures } from "./figures.ts";
import { Judgement, type Finding } from "./judgement.ts";
import type { Planned } from "./planned.ts";
import type { LoadRun } from "./run.ts";

/** A saturating load that one process sends. */
export interface Part {
  baseUrl: string;
  requests: readonly Planned[];
  connections: number;
  seconds: number;
  most: number;
}

/** What a worker process says of its part. */
export interface PartDone extends Unanswered {
  figures: PackedFigures;
  findings: Finding[];
  judged: number;
}

/** Performs a part in this process, judging every answer. */
export async function performPart(part: Part): Promise<PartDone> {
  const secrets = new Secrets();
  for (const { sender } of part.requests) if (sender.key !== null) secrets.learn(sender.key, "key");
  const judgement = new Judgement(secrets);
  const figures = new Figures();
  const unanswered = await closedLoop({
    ...part,
    onCame: (came) => {
      judgement.judge(came);
      figures.take(came);
    },
  });
  figures.failed(unanswered.errors);
  return { ...unanswered, figures: figures.pack(), findings: judgement.findings, judged: judgement.judged };
}

/**
 * Shares a part among worker processes and merges what they counted; with one, this process does it itself.
 * @returns the seconds that it took
 */
export async function share(run: LoadRun, part: Part, workers: number): Promise<number> {
  if (workers === 1) {
    const { errors, seconds } = await closedLoop({ ...part, onCame: run.take });
    if (errors > 0) run.figures.failed(errors);
    return seconds;
  }
  const each: Part = {
    ...part,
    connections: Math.max(1, Math.round(part.connections / workers)),
    most: Math.max(1, Math.floor(part.most / workers)),
  };
  const done = await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const from = Math.floor((index * part.requests.length) / workers);
      const requests = [...part.requests.slice(from), ...part.requests.slice(0, from)];
      return inWorker({ ...each, requests });
    }),
  );
  for (const { figures, findings, judged } of done) {
    run.figures.add(figures);
    run.judgement.merge(findings, judged);
  }
  return Math.max(...done.map(({ seconds }) => seconds));
}

async function inWorker(part: Part): Promise<PartDone> {
  const worker = fork(new URL(`worker${extname(import.meta.url)}`, import.meta.url));
  worker.send(part);
  const [done] = (await Promise.race([
    once(worker, "message"),
    once(worker, "exit").then(([code]) => {
      throw new Error(`a worker process ended with status ${String(code)} before its part was done`);
    }),
  ])) as [PartDone];
  worker.disconnect();
  return done;
}
