import { WrongUse } from "../../base/exit.ts";
import { excuseFor, reasonOf, reasonsOf } from "./dispositions.ts";
import { drawn, isPart, shardOf } from "./part.ts";
import { report } from "./report.ts";
import type { Manner, Scope, Source, Subject } from "./source.ts";
import { addKills, keeping, lostSince, readResults, unproved, type Results } from "./store.ts";

/** Which subjects run, and where their results go. */
export interface Choice extends Manner {
  /** Names of subjects, or several words of their ids; empty means all. */
  only: readonly string[];
  shard: { index: number; of: number };
  sample?: number | undefined;
  seed: string;
  /** Skips what has a stored result. */
  unrun?: boolean;
  /** With `publish`: survivors that a reason matches are excused by it from now on. */
  excuse?: boolean;
  /** The file for the results. */
  json: string;
}

/** The results of a run, how it was chosen, and whether something is wrong. */
export interface Proved<Result> {
  results: Result[];
  scope: Scope;
  isWrong: boolean;
}

/**
 * Judges the chosen subjects of a source, prints what became of them and, with `publish`, stores it.
 * @throws WrongUse when the choice names nothing
 */
export async function prove<Result>(source: Source<Result>, choice: Choice): Promise<Proved<Result>> {
  const { name, subjects, becameOf } = source;
  const before = readResults(name);
  const ids = chosenOf(source, choice, before);
  const kept = choice.publish
    ? keeping(
        name,
        subjects.map(({ id }) => id),
      )
    : null;
  const results: Result[] = [];
  const unfinished = await source.prove(ids, choice, (result) => {
    results.push(result);
    kept?.add(becameOf(result));
  });
  const became = results.map(becameOf);
  const { dispositions } = reasonsOf(name);
  const live = became.filter(({ id, fate }) => fate !== "killed" && excuseFor(id, dispositions) !== null);
  kept?.end(choice.excuse ? live.map(({ id }) => id) : []);
  if (choice.sample !== undefined) console.log(`a sample of ${ids.length}, drawn with --seed ${choice.seed}`);
  const scope: Scope = {
    complete: choice.shard.of === 1 && choice.sample === undefined,
    everything: choice.only.length === 0,
    unfinished,
    lost: lostSince(before, became),
  };
  const isWrong = report(source, results, scope);
  if (choice.publish) {
    addKills(became.map(({ id, killed_by: killedBy }) => ({ id, ...(killedBy && { killedBy }) })));
    await (await import("./page.ts")).writePages();
    // What is not proved yet is not promised: its title may still change.
    if (!isWrong) (await import("./lock.ts")).writeLock();
  }
  return { results, scope, isWrong };
}

/** The subjects that `--only` names. */
export const namedIn = <One extends Subject>(subjects: readonly One[], only: readonly string[]): One[] =>
  subjects.filter(
    ({ id, names }) => only.length === 0 || only.some((name) => names.includes(name) || isPart(name, id)),
  );

/** The ids of the subjects to run; those that must not live come first. */
export function chosenOf<Result>(
  { name, subjects }: Source<Result>,
  { only, shard, unrun = false, whole = false, ...lot }: Choice,
  before: Results,
): string[] {
  const named = namedIn(subjects, only).map(({ id }) => id);
  if (named.length === 0) throw new WrongUse(`nothing to prove matches ${only.join(", ")}`);
  const open = unrun ? unproved(before, named) : named;
  // A generated survivor has no first finding.
  const without = new Set(whole && name !== "hand" ? before.survived : []);
  const left = open.filter((id) => !without.has(id));
  const reasons = reasonsOf(name);
  const mayLive = (id: string): number => Number(reasonOf(id, reasons) !== null);
  return shardOf(drawn(left, String, lot), shard).sort((one, other) => mayLive(one) - mayLive(other));
}
