import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Unverifiable } from "./verdict.ts";

/** Time limit for evaluating server-supplied text, including the start of the thread. */
const deadlineMs = 10_000;
/** Memory limit of the thread. */
const mostMegabytes = 256;

/** The input of the thread. */
export interface Limits {
  deadlineMs?: number;
}

/**
 * Evaluates server-supplied text, such as a schema with patterns, in a thread that can be terminated: a pattern may
 * backtrack forever and would otherwise block the process.
 * @param worker the thread's module: it posts one message, computed from its `workerData`
 * @param what names the text in the error, such as `content_schema`
 * @throws Unverifiable when the deadline passes or the thread runs out of memory
 */
export async function evaluated<Answer>(
  worker: URL,
  workerData: unknown,
  what: string,
  limits: Limits = {},
): Promise<Answer> {
  const within = limits.deadlineMs ?? deadlineMs;
  const thread = new Worker(worker, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  });
  const timer = setTimeout(() => void thread.terminate(), within);
  try {
    const [answer] = (await Promise.race([once(thread, "message"), ended(thread)])) as [Answer];
    return answer;
  } catch (error) {
    if (isOutOfMemory(error))
      throw new Unverifiable(`${what} needs more than ${mostMegabytes} MB to be evaluated`);
    throw error;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }

  async function ended(of: Worker): Promise<never> {
    await once(of, "exit");
    throw new Unverifiable(`${what} cannot be evaluated within ${within / 1000} s`);
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
