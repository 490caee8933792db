import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Matrix } from "./hand.ts";

/** The stored results of mutants written by hand, of variations and of impostors, by name. A run renews its own. */
export interface HandResults {
  /** The date of the newest run. */
  day: string;
  /** Mutants, each as its clause and name. */
  killed: string[];
  survived: string[];
  /** Variations without and with a false alarm. */
  quiet: string[];
  alarmed: string[];
  /** Impostors without and with a clause that they keep by chance. */
  seenThrough: string[];
  praised: string[];
}

/** The names of everything to prove. */
export interface Provable {
  mutants: readonly string[];
  variations: readonly string[];
  impostors: readonly string[];
}

const stored = fileURLToPath(new URL("results/hand.json", import.meta.url));

export const readHandResults = async (): Promise<HandResults> =>
  JSON.parse(await readFile(stored, "utf8")) as HandResults;

export const writeHandResults = (results: HandResults): Promise<void> =>
  writeFile(stored, `${JSON.stringify(results, null, 2)}\n`);

/**
 * The stored results merged with those of a run: results that the run has are replaced, the others are kept, and names
 * that no longer exist are dropped.
 */
export function renewed(
  before: HandResults,
  { mutants, variations, impostors }: Matrix,
  now: Provable,
  day: string,
): HandResults {
  const [killed, survived] = divided(
    mutants.map((one) => [`${one.clause} ${one.name}`, one.killed_by.length > 0]),
    [before.killed, before.survived],
    now.mutants,
  );
  const [quiet, alarmed] = divided(
    variations.map((one) => [one.name, one.false_alarms.length === 0]),
    [before.quiet, before.alarmed],
    now.variations,
  );
  const [seenThrough, praised] = divided(
    impostors.map((one) => [one.name, one.praised.length === 0]),
    [before.seenThrough, before.praised],
    now.impostors,
  );
  return { day, killed, survived, quiet, alarmed, seenThrough, praised };
}

/** The names of successes and of failures, of those that exist. */
function divided(
  found: readonly (readonly [name: string, well: boolean])[],
  [well, badly]: readonly [readonly string[], readonly string[]],
  names: readonly string[],
): [string[], string[]] {
  const known = new Map<string, boolean>([
    ...well.map((name) => [name, true] as const),
    ...badly.map((name) => [name, false] as const),
    ...found,
  ]);
  const those = (wanted: boolean): string[] => names.filter((name) => known.get(name) === wanted).toSorted();
  return [those(true), those(false)];
}

/** The names without a stored result. */
export function unproved(
  { killed, survived, quiet, alarmed, ...rest }: HandResults,
  now: Provable,
): string[] {
  const known = new Set([...killed, ...survived, ...quiet, ...alarmed, ...rest.seenThrough, ...rest.praised]);
  return [...now.mutants, ...now.variations, ...now.impostors].filter((name) => !known.has(name));
}
