import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { Secrets } from "../conformance/server/secrets.ts";
import { closedLoop, type Unanswered } from "./closed-loop.ts";
import { Figures, type PackedFigures } from "./figures.ts";
import { Judgement, type Finding } from "./judgement.ts";
import type { Planned } from "./planned.ts";
import type { LoadRun } from "./run.ts";

/** A saturating load sent by one process. */
export interface Part {
  baseUrl: string;
  requests: readonly Planned[];
  connections: number;
  seconds: number;
  most: number;
}

/** A worker's report on its part. */
export interface PartDone extends Unanswered {
  figures: PackedFigures;
  findings: Finding[];
  judged: number;
}

/** Interval in milliseconds between a worker's progress reports. */
const interval = 250;

/**
 * Runs a part in this process, judging every answer.
 * @param tell called from time to time with the number of answers
 */
export async function performPart(part: Part, tell: (answers: number) => void): Promise<PartDone> {
  const secrets = new Secrets();
  for (const { sender } of part.requests) if (sender.key !== null) secrets.learn(sender.key, "key");
  const judgement = new Judgement(secrets);
  const figures = new Figures();
  const timer = setInterval(() => tell(figures.answers), interval);
  const unanswered = await closedLoop({
    ...part,
    onCame: (came) => {
      judgement.judge(came);
      figures.take(came);
    },
  }).finally(() => clearInterval(timer));
  figures.failed(unanswered.errors);
  return { ...unanswered, figures: figures.pack(), findings: judgement.findings, judged: judgement.judged };
}

/** The sending processes, with their counts merged. */
export interface Workers {
  /** Divides a part among them. @returns its duration in seconds */
  share(part: Part): Promise<number>;
  close(): void;
}

/** Starts the worker processes of a run; with one, this process does the work itself. */
export function openWorkers(run: LoadRun, count: number): Workers {
  if (count === 1) {
    return {
      async share(part) {
        const { errors, seconds } = await closedLoop({ ...part, onCame: run.take });
        if (errors > 0) run.figures.failed(errors);
        return seconds;
      },
      close: () => undefined,
    };
  }
  const workers = Array.from({ length: count }, startWorker);
  return {
    async share(part) {
      const each: Part = {
        ...part,
        connections: Math.max(1, Math.round(part.connections / count)),
        most: Math.max(1, Math.floor(part.most / count)),
      };
      const counts = workers.map(() => 0);
      const done = await Promise.all(
        workers.map((worker, index) => {
          const from = Math.floor((index * part.requests.length) / count);
          const requests = [...part.requests.slice(from), ...part.requests.slice(0, from)];
          return worker.part({ ...each, requests }, (answers) => {
            counts[index] = answers;
            run.elsewhere.answers = counts.reduce((sum, one) => sum + one, 0);
          });
        }),
      );
      run.elsewhere.answers = 0;
      for (const { figures, findings, judged } of done) {
        run.figures.add(figures);
        run.judgement.merge(findings, judged);
      }
      return Math.max(...done.map(({ seconds }) => seconds));
    },
    close() {
      for (const worker of workers) worker.close();
    },
  };
}

interface Worker {
  part(part: Part, tell: (answers: number) => void): Promise<PartDone>;
  close(): void;
}

function startWorker(): Worker {
  const child = fork(new URL(`worker${extname(import.meta.url)}`, import.meta.url));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`a worker process ended with status ${String(code)} before its part was done`);
  });
  ended.catch(() => undefined);
  return {
    part(part, tell) {
      const done = new Promise<PartDone>((resolve) => {
        const listen = (said: { answers: number } | PartDone): void => {
          if (!("figures" in said)) return tell(said.answers);
          child.off("message", listen);
          resolve(said);
        };
        child.on("message", listen);
      });
      child.send(part);
      return Promise.race([done, ended]);
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}
