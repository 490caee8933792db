import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** What became of a mutant, a variation or an impostor: the first of each row is as it should be. */
const rows = [
  ["killed", "survived", "unmet"],
  ["quiet", "alarmed"],
  ["seenThrough", "praised"],
] as const;
const fates = rows.flat();
const good: readonly Fate[] = rows.map(([first]) => first);

export type Fate = (typeof rows)[number][number];

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

/** The stored results of earlier runs. */
export function readResults(source: SourceName): Results {
  const stored = JSON.parse(readFileSync(fileOf(source), "utf8")) as Partial<Results> &
    Pick<Results, "day" | "subjects">;
  return { ...none(), excused: [], ...stored };
}

/**
 * The results with those of a run: its subjects get their new fate, all others keep theirs, and those that no longer
 * exist are dropped.
 * @param ids every current subject
 * @param excused further mutants that may live
 */
export function renewed(
  before: Results,
  found: readonly { id: string; fate: Fate }[],
  ids: readonly string[],
  day: string,
  excused: readonly string[] = [],
): Results {
  const fateOf = fatesById(before);
  for (const { id, fate } of found) fateOf.set(id, fate);
  const sorted = ids.toSorted();
  const accepted = new Set([...before.excused, ...excused]);
  const byFate = Object.fromEntries(
    fates.map((fate) => [fate, sorted.filter((id) => fateOf.get(id) === fate)]),
  ) as Record<Fate, string[]>;
  return {
    day,
    subjects: ids.length,
    ...byFate,
    excused: [...byFate.survived, ...byFate.unmet].filter((id) => accepted.has(id)).toSorted(),
  };
}

/** The subjects without a stored result. */
export function unproved(results: Results, ids: readonly string[]): string[] {
  const known = fatesById(results);
  return ids.filter((id) => !known.has(id));
}

/** What an earlier run found well, and this one does not. */
export function lostSince(before: Results, found: readonly { id: string; fate: Fate }[]): string[] {
  const known = fatesById(before);
  return found
    .filter(({ id, fate }) => !good.includes(fate) && good.includes(known.get(id)!))
    .map(({ id }) => id);
}

/** Number of results written at a time, so that an interrupted run keeps what it has found. */
const storedAtOnce = 25;

/** Stores results as they arrive. */
export class Keeping {
  readonly #source: SourceName;
  readonly #ids: readonly string[];
  readonly #waiting: { id: string; fate: Fate }[] = [];
  #written: Promise<unknown> = Promise.resolve();

  /** @param ids every current subject; stored results of others are dropped */
  constructor(source: SourceName, ids: readonly string[]) {
    this.#source = source;
    this.#ids = ids;
  }

  add(found: { id: string; fate: Fate }): void {
    this.#waiting.push(found);
    if (this.#waiting.length >= storedAtOnce) this.#flush();
  }

  /** Writes the rest. @param excused mutants that may live from now on */
  async end(excused: readonly string[] = []): Promise<void> {
    this.#flush(excused);
    await this.#written;
  }

  #flush(excused: readonly string[] = []): void {
    const found = this.#waiting.splice(0);
    this.#written = this.#written.then(() => {
      const day = new Date().toISOString().slice(0, 10);
      return store(this.#source, renewed(readResults(this.#source), found, this.#ids, day, excused));
    });
  }
}

const fileOf = (source: SourceName): string =>
  fileURLToPath(new URL(`results/${source}.json`, import.meta.url));

/** Fates that nothing has are left out. */
function store(source: SourceName, { day, subjects, ...lists }: Results): Promise<void> {
  const some = Object.entries(lists).filter(([, ids]) => ids.length > 0);
  const text = JSON.stringify({ day, subjects, ...Object.fromEntries(some) }, null, 2);
  return writeFile(fileOf(source), `${text}\n`);
}

const none = (): Record<Fate, readonly string[]> =>
  Object.fromEntries(fates.map((fate) => [fate, []])) as unknown as Record<Fate, readonly string[]>;

const fatesById = (results: Results): Map<string, Fate> =>
  new Map(fates.flatMap((fate) => results[fate].map((id) => [id, fate] as const)));
