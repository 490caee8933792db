import { readFileSync, writeFileSync } from "node:fs";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";

const stored = new URL("results/killers.json", import.meta.url);

/** For each check and rule that killed in a stored run, one mutant that it killed: written by hand or generated. */
export const readKillers = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(stored, "utf8")) as Record<string, string>;

/** Stores the kills of a run: a judge keeps its stored mutant, unless the run shows that this one survives. */
export function addKills(kills: readonly { mutant: string; killed_by: readonly string[] }[]): void {
  const survivors = new Set(kills.filter((one) => one.killed_by.length === 0).map(({ mutant }) => mutant));
  const killed = Object.fromEntries(
    kills.flatMap(({ mutant, killed_by: killers }) => killers.map((judge) => [judge, mutant] as const)),
  );
  const kept = Object.entries(readKillers()).filter(([, mutant]) => !survivors.has(mutant));
  const all = { ...killed, ...Object.fromEntries(kept) };
  const found = judgeIds().flatMap((judge) => (all[judge] === undefined ? [] : [[judge, all[judge]]]));
  writeFileSync(stored, `${JSON.stringify(Object.fromEntries(found), null, 2)}\n`);
}

/** The checks and rules without a kill in any stored run. */
export function withoutKill(): string[] {
  const killers = readKillers();
  return judgeIds().filter((id) => killers[id] === undefined);
}

const judgeIds = (): string[] => [...checks, ...rules].map(({ id }) => id).sort();
