import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Expression, Outcomes } from "./projection.ts";

/** A job for the thread. */
export interface Job {
  /** JSON. */
  content: string;
  expressions: string[];
  /** The size limit of the selection. */
  characters: number;
}

/**
 * Limits for all expressions of one answer, for costly paths and costly regular expressions alike. The CPU time of the
 * thread counts, so no value is lost because the machine is busy; a Call waits no longer than the ticks in all. Before
 * Node 24.6, which does not show a thread's CPU time, a tick counts as such.
 */
const maxCpuMs = 500;
const maxTicks = 400;
const tickMs = 25;
/** Answers that may wait for the thread; a further one gets null values. */
const maxWaiting = 16;
/** Memory limit of the thread. */
export const maxMegabytes = 96;

let thread: Promise<Worker> | null = null;
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Evaluates expressions in a thread that can be terminated, one answer after the other. Unfinished values are left out.
 */
export async function evaluateApart(
  content: string,
  expressions: readonly Expression[],
  characters: number,
  outcomes: Outcomes,
): Promise<void> {
  if (waiting >= maxWaiting) return;
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
  // It keeps the process alive for the time of a job, and no longer.
  worker.ref();
  const cpuMs = await cpuTimeOf(worker);
  const done = await new Promise<boolean>((resolve) => {
    let ticks = 0;
    const tick = async (): Promise<void> => {
      ticks += 1;
      if (ticks > maxTicks || (await cpuMs(ticks)) > maxCpuMs) end(false);
    };
    const timer = setInterval(() => void tick(), tickMs);
    const end = (isDone: boolean): void => {
      clearInterval(timer);
      worker.off("message", next).off("exit", stop).unref();
      resolve(isDone);
    };
    const stop = (): void => end(false);
    const next = (json: string | null): void => {
      onFound(json === null ? null : { value: JSON.parse(json) as unknown }, found);
      found += 1;
      if (found === job.expressions.length) end(true);
    };
    worker.on("message", next).on("exit", stop);
    worker.postMessage(job);
  });
  if (done) return;
  thread = null;
  await worker.terminate();
}

/** A function that returns the CPU time in ms that a thread has used since now; where Node lacks it, the ticks'. */
async function cpuTimeOf(worker: Worker): Promise<(ticks: number) => Promise<number>> {
  // A thread that has ended has no CPU time, and its exit ends the job.
  const used = async (): Promise<number> => {
    const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    return (user + system) / 1_000;
  };
  if (!("cpuUsage" in worker)) return (ticks) => Promise.resolve(ticks * tickMs);
  const before = await used();
  return async () => (await used()) - before;
}

async function started(): Promise<Worker> {
  const worker = new Worker(new URL(`projecting-worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  });
  worker.unref();
  // The thread ran out of memory: values not found by then are left out.
  worker.on("error", () => undefined);
  worker.once("exit", () => (thread = null));
  await once(worker, "message");
  return worker;
}
