import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as after } from "node:timers/promises";
import { progress } from "../report/terminal.ts";

type Answer<Outcome> = { outcome: Outcome } | { error: string };

/** A process that does jobs one after another; it is replaced when it fails, hangs or dies. */
export class Worker<Job, Outcome> {
  readonly #script: URL;
  readonly #output: "inherit" | "ignore";
  #child: ChildProcess | undefined;

  /** @param output whether the output of the process is shown */
  constructor(script: URL, output: "inherit" | "ignore") {
    this.#script = script;
    this.#output = output;
  }

  /** @throws Error when the job fails, the process dies, or `withinMs` is over */
  async perform(job: Job, withinMs: number): Promise<Outcome> {
    const stdio = ["ignore" as const, this.#output, this.#output, "ipc" as const];
    const child = (this.#child ??= fork(this.#script, { stdio }));
    const over = new AbortController();
    const { signal } = over;
    child.send(job as object);
    const answer = await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as Answer<Outcome>),
      once(child, "exit", { signal }).then(() => ({ error: "the process that judges died" })),
      after(withinMs, { error: `no verdict within ${withinMs} ms` }, { signal }),
    ]).finally(() => over.abort());
    if ("outcome" in answer) return answer.outcome;
    child.kill("SIGKILL");
    this.#child = undefined;
    throw new Error(answer.error);
  }

  close(): void {
    if (this.#child?.connected) this.#child.disconnect();
  }
}

/**
 * Passes each item to the next free worker, of as many as the machine has cores, and shows how many are done.
 * @returns the items whose work failed, by name, and why
 */
export async function workerPool<Item, Job, Outcome>(
  items: readonly Item[],
  worker: () => Worker<Job, Outcome>,
  work: (item: Item, worker: Worker<Job, Outcome>) => Promise<void>,
  nameOf: (item: Item) => string,
): Promise<string[]> {
  const queue = [...items];
  const unfinished: string[] = [];
  const line = progress(process.stderr);
  let done = 0;
  const member = async (): Promise<void> => {
    const workerProcess = worker();
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const name = nameOf(item);
      await work(item, workerProcess).catch((error: Error) => unfinished.push(`${name}: ${error.message}`));
      line.show(`${(done += 1)} of ${items.length}  ${name}`);
    }
    workerProcess.close();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), items.length) }, member));
  line.clear();
  return unfinished;
}

/** In a worker's process: does each job that the parent sends, until the parent disconnects. */
export function serveJobs<Job, Outcome>(
  perform: (job: Job) => Promise<Outcome>,
  close: () => Promise<void>,
): void {
  process.on("message", (job: Job) => {
    perform(job).then(
      (outcome) => process.send!({ outcome }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on("disconnect", () => void close().finally(() => process.exit(0)));
}
