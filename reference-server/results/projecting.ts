import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Outcomes } from "./project.ts";
import type { Expression } from "./projection.ts";

/** What the thread is given. */
export interface Job {
  /** JSON. */
  content: string;
  expressions: string[];
  /** What may be selected. */
  characters: number;
}

/** Time for all expressions of one answer. It ends costly paths and costly regular expressions alike. */
const deadlineMs = 250;
/** Answers that wait for the thread; one more goes without what it asked. */
const mostWaiting = 4;
/** Memory of the thread, beyond which it ends. */
const mostMegabytes = 96;

let thread: Promise<Worker> | null = null;
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Evaluates expressions in a thread that can be ended, one answer after the other. What is not done is left out. */
export async function evaluateApart(
  content: string,
  expressions: readonly Expression[],
  characters: number,
  outcomes: Outcomes,
): Promise<void> {
  if (waiting >= mostWaiting) return;
  waiting += 1;
  const job = { content, expressions: expressions.map(({ text }) => text), characters };
  const mine = turn.then(() => run(job, (found, index) => outcomes.set(expressions[index]!, found)));
  turn = mine.catch(() => undefined);
  await mine.finally(() => (waiting -= 1));
}

type Found = (found: { value: unknown } | null, index: number) => void;

async function run(job: Job, onFound: Found): Promise<void> {
  const starting = (thread ??= started());
  const worker = await starting.catch(() => null);
  if (worker === null) {
    thread = null;
    return;
  }
  let found = 0;
  const done = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), deadlineMs);
    const end = (isDone: boolean): void => {
      clearTimeout(timer);
      resolve(isDone);
    };
    worker.removeAllListeners("message").on("message", (json: string | null) => {
      onFound(json === null ? null : { value: JSON.parse(json) as unknown }, found);
      if ((found += 1) === job.expressions.length) end(true);
    });
    worker.removeAllListeners("exit").once("exit", () => end(false));
    worker.postMessage(job);
  });
  if (done) return;
  thread = null;
  worker.removeAllListeners("message");
  await worker.terminate();
}

async function started(): Promise<Worker> {
  const worker = new Worker(new URL(`projecting-worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  });
  worker.unref();
  // Out of memory: it ends, and what was not found by then is left out.
  worker.on("error", () => undefined);
  worker.once("exit", () => (thread = null));
  await once(worker, "message");
  return worker;
}
