import { extname } from "node:path";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import type { GeneratedKill, Kill } from "./kill.ts";
import type { Single } from "./lawful/single.ts";
import type { Manner, Source, Subject } from "./source.ts";
import type { Mending } from "./triage/mend.ts";
import type { Trial, Way } from "./trial.ts";
import { Worker, workerPool } from "./worker-pool.ts";

/** A job for a worker process, by index in its list. */
export type Job =
  | { kind: "mutant"; index: number; whole: boolean; alone: boolean; fast: boolean; barren: boolean }
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

/** A subject that one job judges. */
export interface JobSubject extends Subject {
  jobOf: (manner: Manner) => Job;
}

/** Judges each subject by its job. */
export const proveByJobs =
  <Result>(
    subjects: readonly JobSubject[],
    resultOf: (outcome: Outcome) => Result,
  ): Source<Result>["prove"] =>
  (ids, manner, onResult) => {
    const byId = new Map(subjects.map((subject) => [subject.id, subject]));
    return performAll(
      ids,
      (id) => byId.get(id)!.jobOf(manner),
      (outcome) => onResult(resultOf(outcome)),
    );
  };

/**
 * Performs a job for each item, on as many processes as the machine has cores.
 * @returns the items that could not be judged, by name, and why
 */
export const performAll = <Item>(
  items: readonly Item[],
  jobOf: (item: Item) => Job,
  onOutcome: (outcome: Outcome, item: Item) => void,
  nameOf: (item: Item) => string = String,
): Promise<string[]> =>
  workerPool(
    items,
    judgingWorker,
    async (item, worker) => onOutcome(await worker.perform(jobOf(item), jobMs), item),
    nameOf,
  );

/** A process that judges mutants, variations and impostors. */
export const judgingWorker = (): Worker<Job, Outcome> =>
  new Worker(new URL(`worker${extname(import.meta.url)}`, import.meta.url), "inherit");

/** Time limit of a job: a broken server may never answer. */
export const jobMs = 900_000;
