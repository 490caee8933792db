import { readFileSync, writeFileSync } from "node:fs";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";

/** What became of a mutant, a variation or an impostor. */
export type Fate = (typeof fates)[number];
const fates = ["killed", "survived", "unmet", "quiet", "alarmed", "seenThrough", "praised"] as const;

/** By hand: mutants, variations and impostors; generated: mutants of the spec and of the server's sources. */
export type SourceName = "hand" | "spec" | "code";

/** The stored results of one source, by fate. A run renews its own. */
export interface Results extends Record<Fate, readonly string[]> {
  /** The date of the newest run. */
  day: string;
  /** How many subjects there were, run or not. */
  subjects: number;
  /** The mutants that live for a recorded reason, each accepted by somebody: a new one is never among them. */
  excused: readonly string[];
}

interface Found {
  id: string;
  fate: Fate;
}

/** The stored results of earlier runs. */
export const readResults = (source: SourceName): Results => ({
  ...none(),
  excused: [],
  ...readStored<Pick<Results, "day" | "subjects"> & Partial<Results>>(source),
});

/** Stores results as they arrive. @param ids every current subject; stored results of others are dropped */
export function keeping(source: SourceName, ids: readonly string[]): Keeping {
  const waiting: Found[] = [];
  const flush = (excused: readonly string[] = []): void => {
    const batch = waiting.splice(0);
    const { day, subjects, ...lists } = renewed(readResults(source), batch, ids, today(), excused);
    // Fates that nothing has are left out.
    const some = Object.entries(lists).filter(([, members]) => members.length > 0);
    store(source, { day, subjects, ...Object.fromEntries(some) });
  };
  return {
    add(found) {
      waiting.push(found);
      if (waiting.length >= storedAtOnce) flush();
    },
    end: flush,
  };
}

interface Keeping {
  add: (found: Found) => void;
  /** Writes the rest. @param excused mutants that may live from now on */
  end: (excused?: readonly string[]) => void;
}

/** Number of results written at a time, so that an interrupted run keeps what it has found. */
const storedAtOnce = 25;

/** The subjects without a stored result. */
export function unproved(results: Results, ids: readonly string[]): string[] {
  const known = fatesById(results);
  return ids.filter((id) => !known.has(id));
}

/** The mutants that an earlier run killed, and this one does not. */
export function lostSince(before: Results, found: readonly Found[]): string[] {
  const killed = new Set(before.killed);
  return found.filter(({ id, fate }) => fate !== "killed" && killed.has(id)).map(({ id }) => id);
}

/** For each check and rule that killed in a stored run, one mutant that it killed: written by hand or generated. */
export const readKillers = (): Readonly<Record<string, string>> => readStored("killers");

/** The checks and rules without a kill in any stored run. */
export function withoutKill(): string[] {
  const killers = readKillers();
  return judgeIds().filter((id) => killers[id] === undefined);
}

/** Stores the kills of a run: a judge keeps its stored mutant, unless the run shows that this one survives. */
export function addKills(kills: readonly { id: string; killedBy?: readonly string[] }[]): void {
  const survivors = new Set(kills.filter((kill) => kill.killedBy?.length === 0).map(({ id }) => id));
  const killed = kills.flatMap(({ id, killedBy = [] }) => killedBy.map((judge) => [judge, id] as const));
  const kept = Object.entries(readKillers()).filter(([, mutant]) => !survivors.has(mutant));
  const all = new Map([...killed, ...kept]);
  store("killers", Object.fromEntries(judgeIds().flatMap((id) => (all.has(id) ? [[id, all.get(id)]] : []))));
}

/**
 * The results with those of a run: its subjects get their new fate, all others keep theirs, and those that no longer
 * exist are dropped.
 * @param ids every current subject
 * @param excused further mutants that may live
 */
export function renewed(
  before: Results,
  found: readonly Found[],
  ids: readonly string[],
  day: string,
  excused: readonly string[] = [],
): Results {
  const fateOf = fatesById(before);
  for (const { id, fate } of found) fateOf.set(id, fate);
  const sorted = ids.toSorted();
  const accepted = new Set([...before.excused, ...excused]);
  const byFate = byEachFate((fate) => sorted.filter((id) => fateOf.get(id) === fate));
  return {
    day,
    subjects: ids.length,
    ...byFate,
    excused: [...byFate.survived, ...byFate.unmet].filter((id) => accepted.has(id)).toSorted(),
  };
}

/** The day of a stored run. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** A file of `results/`. */
export const readStored = <Stored>(name: string): Stored =>
  JSON.parse(readFileSync(fileOf(name), "utf8")) as Stored;

export const store = (name: string, value: object): void =>
  writeFileSync(fileOf(name), `${JSON.stringify(value, null, 2)}\n`);

const fileOf = (name: string): URL => new URL(`results/${name}.json`, import.meta.url);

const judgeIds = (): string[] => [...checks, ...rules].map(({ id }) => id).sort();

const byEachFate = <List>(listOf: (fate: Fate) => List): Record<Fate, List> =>
  Object.fromEntries(fates.map((fate) => [fate, listOf(fate)])) as Record<Fate, List>;

const none = (): Record<Fate, readonly string[]> => byEachFate(() => []);

const fatesById = (results: Results): Map<string, Fate> =>
  new Map(fates.flatMap((fate) => results[fate].map((id) => [id, fate] as const)));
