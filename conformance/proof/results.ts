import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { GeneratedKill } from "./generated.ts";

/** Where mutants come from that nobody writes. */
export type Source = "spec" | "code";

/** What is known of the generated mutants of one source, run by run. */
export interface Results {
  /** The day of the newest run. */
  day: string;
  killed: string[];
  survived: string[];
}

const fileOf = (source: Source): string => fileURLToPath(new URL(`results/${source}.json`, import.meta.url));

/** What earlier runs have stored. */
export async function readResults(source: Source): Promise<Results> {
  return JSON.parse(await readFile(fileOf(source), "utf8")) as Results;
}

/**
 * Adds a run to what is stored: its own mutants have their newest fate, all others keep theirs.
 * @param ids every mutant that there is; what is stored of others is forgotten
 */
export async function storeResults(
  source: Source,
  kills: readonly GeneratedKill[],
  ids: readonly string[],
  day: string,
): Promise<Results> {
  const before = await readResults(source);
  const fates = new Map<string, boolean>();
  for (const id of before.killed) fates.set(id, true);
  for (const id of before.survived) fates.set(id, false);
  for (const { id, killed_by: killers } of kills) fates.set(id, killers.length > 0);
  const known = ids.filter((id) => fates.has(id)).sort();
  const results: Results = {
    day,
    killed: known.filter((id) => fates.get(id)),
    survived: known.filter((id) => !fates.get(id)),
  };
  await writeFile(fileOf(source), `${JSON.stringify(results, null, 1)}\n`);
  return results;
}
