import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { LawfulAlarm } from "./prove.ts";

/** What became of the lawful points in a run. */
export interface Lawful {
  day: string;
  seed: string;
  points: number;
  /** Those that change an answer of a run; each was held alone against the rules. */
  met: number;
  /** The servers of many points that cover the pairs, and how many of them were judged. */
  servers: number;
  judged: number;
  /** The share of the pairs that all servers cover. */
  pairs_covered: number;
  /** The `must` checks and rules that a server kept, on average. */
  musts_kept: number;
  alarms: readonly LawfulAlarm[];
  unfinished: readonly string[];
}

const file = fileURLToPath(new URL("../results/lawful.json", import.meta.url));

/** The stored result of the last published run. */
export const readLawful = async (): Promise<Lawful> => JSON.parse(await readFile(file, "utf8")) as Lawful;

export const storeLawful = (result: Lawful): Promise<void> =>
  writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
