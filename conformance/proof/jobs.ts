import { extname } from "node:path";
import type { GeneratedKill } from "./generated.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import type { Kill } from "./kill.ts";
import type { Single } from "./lawful/single.ts";
import type { Mending } from "./triage/mend.ts";
import type { Trial, Way } from "./trial.ts";
import { Worker, workerPool } from "./worker-pool.ts";

/** A job for a worker process, by index in its list. */
export type Job =
  | { kind: "mutant"; index: number; whole: boolean; alone: boolean; fast: boolean; barren?: boolean }
  | { kind: "variation"; index: number; everywhere: boolean; fast: boolean }
  | { kind: "impostor"; index: number }
  | { kind: "spec"; index: number; point?: number; barren?: boolean; whole?: boolean; brief?: boolean }
  | { kind: "points"; points: readonly number[]; by: readonly Way[]; checks?: readonly string[] }
  | { kind: "single"; points: readonly number[] }
  | { kind: "unfinished"; seed: string; faults: readonly number[] };

export type Outcome =
  | { kind: "mutant"; kill: Kill }
  | { kind: "variation"; trial: Trial }
  | { kind: "impostor"; trial: ImpostorTrial }
  | { kind: "spec"; kill: GeneratedKill }
  | { kind: "points"; trial: Trial }
  | { kind: "single"; results: readonly Single[] }
  | { kind: "unfinished"; mending: Mending };

/** Time limit of a job: a broken server may never answer. */
export const jobMs = 900_000;

/** A process that judges mutants, variations and impostors. */
export const judgingWorker = (): Worker<Job, Outcome> =>
  new Worker(new URL(`worker${extname(import.meta.url)}`, import.meta.url), "inherit");

/**
 * Performs a job for each item, on as many processes as the machine has cores.
 * @param onFailure called for an item that could not be judged
 */
export const performAll = <Item>(
  items: readonly Item[],
  jobOf: (item: Item) => Job,
  onOutcome: (outcome: Outcome, item: Item) => void,
  onFailure: (item: Item, reason: string) => void,
): Promise<void> =>
  workerPool(items, judgingWorker, async (item, worker) => {
    const outcome = await worker.perform(jobOf(item), jobMs).catch((error: Error) => error.message);
    if (typeof outcome === "string") onFailure(item, outcome);
    else onOutcome(outcome, item);
  });
