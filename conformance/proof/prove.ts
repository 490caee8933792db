import { WrongUse } from "../../base/exit.ts";
import { progress } from "../report/terminal.ts";
import { excuseFor, reasonOf, reasonsOf } from "./dispositions.ts";
import { addKills } from "./killers.ts";
import { drawn, isPart, shardOf } from "./part.ts";
import { Keeping, lostSince, readResults, unproved, type Results } from "./results.ts";
import type { Became, Manner, Source, Subject } from "./source.ts";

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
}

/** The results of a run, and whether something is wrong. */
export interface Proved<Result> {
  results: Result[];
  unfinished: string[];
  isWrong: boolean;
}

/**
 * Judges the chosen subjects of a source, prints what became of them and, with `publish`, stores it.
 * @throws WrongUse when the choice names nothing
 */
export async function prove<Result>(source: Source<Result>, choice: Choice): Promise<Proved<Result>> {
  const { subjects, becameOf } = source;
  const before = readResults(source.name);
  const ids = chosenOf(source, choice, before);
  const all = subjects.map(({ id }) => id);
  const keeping = choice.publish ? new Keeping(source.name, all) : null;
  const line = progress(process.stderr);
  const results: Result[] = [];
  const unfinished: string[] = [];
  const show = (id: string): void =>
    line.show(`${results.length + unfinished.length} of ${ids.length}  ${id}`);
  await source.prove(
    ids,
    choice,
    (result) => {
      results.push(result);
      const became = becameOf(result);
      keeping?.add(became);
      show(became.id);
    },
    (id, reason) => {
      unfinished.push(`${id}: ${reason}`);
      show(id);
    },
  );
  line.clear();
  const became = results.map(becameOf);
  await keeping?.end(choice.excuse ? excusedBy(source, became) : []);
  if (choice.sample !== undefined) console.log(`a sample of ${ids.length}, drawn with --seed ${choice.seed}`);
  const isWrong = source.report(results, {
    complete: choice.shard.of === 1 && choice.sample === undefined,
    everything: choice.only.length === 0,
    unfinished,
    lost: lostSince(before, became),
  });
  if (choice.publish) await publish(became);
  return { results, unfinished, isWrong };
}

/** The subjects that `--only` names. */
export const namedIn = (subjects: readonly Subject[], only: readonly string[]): Subject[] =>
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
  // A survivor has no first finding.
  const without = new Set(whole && name !== "hand" ? before.survived : []);
  const chosen = shardOf(
    drawn(
      open.filter((id) => !without.has(id)),
      (id) => id,
      lot,
    ),
    shard,
  );
  if (name === "hand") return chosen;
  const reasons = reasonsOf(name);
  const mayLive = (id: string): number => Number(reasonOf(id, reasons) !== null);
  return chosen.sort((one, other) => mayLive(one) - mayLive(other));
}

/** The survivors of a run that a reason matches. */
function excusedBy<Result>({ name }: Source<Result>, became: readonly Became[]): string[] {
  if (name === "hand") return [];
  const { dispositions } = reasonsOf(name);
  return became
    .filter(({ id, fate }) => fate !== "killed" && excuseFor(id, dispositions) !== null)
    .map(({ id }) => id);
}

/** Stores who killed whom, and writes the page, the figures and the lock. */
async function publish(became: readonly Became[]): Promise<void> {
  addKills(became.flatMap(({ id, killedBy }) => (killedBy ? [{ mutant: id, killed_by: killedBy }] : [])));
  await (await import("./page.ts")).writePage();
  await (await import("./publish.ts")).publishFigure();
  (await import("./lock.ts")).writeLock();
}
