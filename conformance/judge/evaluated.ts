import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Unverifiable } from "./verdict.ts";

/** Processor time for evaluating server-supplied text, including the start of the thread. */
const deadlineMs = 10_000;
/** How often a thread's processor time is read. */
const lookMs = 250;
/** On a busy machine a thread may take this many times as long as it works. */
const maxSlowness = 12;
/** Memory limit of a thread. */
const maxMegabytes = 256;

export interface Limits {
  deadlineMs?: number;
}

/**
 * Evaluates server-supplied text, such as a schema with patterns, in a thread that can be terminated: a pattern may
 * backtrack forever and would otherwise block the process. The thread is kept, since most evaluations cost less than
 * its start; it evaluates one text after another.
 */
export class Evaluator<Input, Answer> {
  readonly #script: URL;
  readonly #what: string;
  #thread: Worker | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * @param script the thread's module: it posts one message for each that it receives
   * @param what names the text in errors, such as `content_schema`
   */
  constructor(script: URL, what: string) {
    this.#script = script;
    this.#what = what;
  }

  /** @throws Unverifiable when the work takes longer than the deadline or the thread runs out of memory */
  evaluate(input: Input, { deadlineMs: withinMs = deadlineMs }: Limits = {}): Promise<Answer> {
    const mine = this.#turn.then(() => this.#perform(input, withinMs));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #perform(input: Input, withinMs: number): Promise<Answer> {
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes };
    const thread = (this.#thread ??= new Worker(this.#script, { resourceLimits }));
    const over = new AbortController();
    const { signal } = over;
    const bound = boundOf(thread, withinMs);
    thread.ref();
    thread.postMessage(input);
    const ended = once(thread, "exit", { signal }).then(() => {
      throw new Unverifiable(`${this.#what} cannot be evaluated within ${withinMs / 1000} s`);
    });
    try {
      const [answer] = (await Promise.race([once(thread, "message", { signal }), ended])) as [Answer];
      thread.unref();
      return answer;
    } catch (error) {
      this.#thread = null;
      await thread.terminate();
      if (!isOutOfMemory(error)) throw error;
      throw new Unverifiable(`${this.#what} needs more than ${maxMegabytes} MB to be evaluated`);
    } finally {
      clearInterval(bound);
      over.abort();
    }
  }
}

/** Terminates a thread that works longer than some time, whatever else the machine does meanwhile. */
function boundOf(thread: Worker, withinMs: number): NodeJS.Timeout {
  const started = performance.now();
  let before: number | undefined;
  return setInterval(
    () => {
      if (performance.now() - started > withinMs * maxSlowness) return void thread.terminate();
      // Node before 24.6 does not report a thread's processor time.
      if (thread.cpuUsage === undefined) return;
      void thread.cpuUsage().then(
        ({ user, system }) => {
          const workedMs = (user + system) / 1000;
          before ??= Math.max(0, workedMs - (performance.now() - started));
          if (workedMs - before > withinMs) void thread.terminate();
        },
        () => undefined,
      );
    },
    Math.min(lookMs, withinMs),
  );
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
