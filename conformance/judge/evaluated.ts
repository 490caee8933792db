import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Unverifiable } from "./verdict.ts";

/** How long what a server wrote may take to be evaluated, the start of the thread included. */
const deadlineMs = 10_000;
/** Memory of the thread, beyond which it ends. */
const mostMegabytes = 256;

/** What a thread is given. */
export interface Limits {
  deadlineMs?: number;
}

/**
 * Evaluates what a server wrote, such as a schema with its patterns, in a thread that can be ended: a pattern may
 * backtrack for ever, and nothing else could then go on.
 * @param worker the module of the thread: it posts one message, made from its `workerData`
 * @param what names the text in the reason, such as `content_schema`
 * @throws Unverifiable when there is no answer within the deadline, or the thread runs out of memory
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
