import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { GeneratedKill } from "./generated.ts";

/** The sources of generated mutants. */
export type Source = "spec" | "code";

/** Accumulated results for the generated mutants of one source. */
export interface Results {
  /** The date of the newest run. */
  day: string;
  /** How many mutants there were, run or not. */
  mutants: number;
  killed: string[];
  survived: string[];
  /** Mutants that no request of the suite reaches. */
  unmet: string[];
}

const fates = ["killed", "survived", "unmet"] as const;
type Fate = (typeof fates)[number];

const fateOf = ({ killed_by: killers, met }: GeneratedKill): Fate =>
  killers.length > 0 ? "killed" : met > 0 ? "survived" : "unmet";

const fileOf = (source: Source): string => fileURLToPath(new URL(`results/${source}.json`, import.meta.url));

/** The stored results of earlier runs. */
export async function readResults(source: Source): Promise<Results> {
  return JSON.parse(await readFile(fileOf(source), "utf8")) as Results;
}

/**
 * Adds a run to the stored results: its mutants get their new result, all others keep theirs.
 * @param ids every current mutant; stored results of others are dropped
 */
async function storeResults(
  source: Source,
  kills: readonly GeneratedKill[],
  ids: readonly string[],
): Promise<void> {
  const before = await readResults(source);
  const known = new Map<string, Fate>(fates.flatMap((fate) => before[fate].map((id) => [id, fate])));
  for (const kill of kills) known.set(kill.id, fateOf(kill));
  const of = (wanted: Fate): string[] => ids.filter((id) => known.get(id) === wanted).sort();
  const day = new Date().toISOString().slice(0, 10);
  const [killed, survived, unmet] = [of("killed"), of("survived"), of("unmet")];
  const results: Results = { day, mutants: ids.length, killed, survived, unmet };
  await writeFile(fileOf(source), `${JSON.stringify(results, null, 2)}\n`);
}

/** Number of results written at a time, so that an interrupted run keeps what it has found. */
const storedAtOnce = 25;

/** Stores results as they arrive; `end` writes the rest and resolves when everything is written. */
export function storing(
  source: Source,
  ids: readonly string[],
): { add: (kill: GeneratedKill) => void; end: () => Promise<void> } {
  const waiting: GeneratedKill[] = [];
  let written: Promise<unknown> = Promise.resolve();
  const flush = (): void => {
    const some = waiting.splice(0);
    written = written.then(() => storeResults(source, some, ids));
  };
  return {
    add(kill) {
      if (waiting.push(kill) >= storedAtOnce) flush();
    },
    async end() {
      flush();
      await written;
    },
  };
}

/** The survivors that an earlier run killed. */
export const lostSince = (kills: readonly GeneratedKill[], { killed }: Results): string[] =>
  kills.filter((kill) => kill.killed_by.length === 0 && killed.includes(kill.id)).map(({ id }) => id);

/** The mutants with a stored result. */
export const knownOf = (results: Results): ReadonlySet<string> =>
  new Set(fates.flatMap((fate) => results[fate]));
