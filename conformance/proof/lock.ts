import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { clauses } from "../../generated/clauses.ts";
import { checks } from "../suite/checks.ts";
import { clientRules, crossingRules } from "../suite/crossing.ts";
import { rules } from "../suite/rules.ts";
import { instrumentedAll } from "./code/sites.ts";
import { readKillers } from "./store.ts";
import { mutants } from "./mutants.ts";
import { specMutants } from "./spec/index.ts";

/*
 * The lock lists what the suite promises to judge, and which checks and rules kill a mutant that still exists, one item
 * per line. `npm run mutants -- --publish` adds new lines. Removing a line requires an entry in loosened.yaml that says
 * why.
 */

const lockFile = new URL("lock.txt", import.meta.url);
const loosenedFile = new URL("loosened.yaml", import.meta.url);

/** A promise that was given up on purpose. */
export interface Loosened {
  /** A line of the lock; a trailing `*` matches any ending. */
  line: string;
  because: string;
}

/** Every line that is true now. */
export function linesNow(): ReadonlySet<string> {
  const judges = (kind: string, list: readonly { id: string; clauses: readonly string[] }[]): string[] =>
    list.flatMap((judge) => judge.clauses.map((clause) => `${kind} ${judge.id} of ${clause}`));
  const sites = [...instrumentedAll().values()].flatMap((source) => source.sites);
  const known = new Set([
    ...mutants.map(({ clause, name }) => `${clause} ${name}`),
    ...[...specMutants, ...sites].map(({ id }) => id),
  ]);
  return new Set([
    // A `must` also counts as a `should`, so a stricter clause loses no line.
    ...clauses.flatMap(({ id, level }) => [
      `clause ${id} should`,
      ...(level === "must" ? [`clause ${id} must`] : []),
    ]),
    ...judges("check", checks),
    ...judges("rule", [...rules, ...crossingRules, ...clientRules]),
    ...specMutants.map(({ family, way }) => `generated from the spec: ${family} ${way}`),
    ...sites.flatMap(({ file, way }) => [
      `generated from the code: ${way}`,
      `generated from the code of ${file.split("/")[0]}`,
    ]),
    ...Object.entries(readKillers()).flatMap(([judge, mutant]) =>
      known.has(mutant) ? [`kill by ${judge}`] : [],
    ),
  ]);
}

const readLock = (): string[] => readFileSync(lockFile, "utf8").split("\n").filter(Boolean);
const readLoosened = (): Loosened[] => (parse(readFileSync(loosenedFile, "utf8")) as Loosened[] | null) ?? [];

/** The locked lines that no longer hold and that no entry gives up. */
export function missingFrom(
  locked: readonly string[],
  now: ReadonlySet<string>,
  loosened: readonly Loosened[],
): string[] {
  const isGivenUp = (line: string): boolean =>
    loosened.some(({ line: given }) =>
      given.endsWith("*") ? line.startsWith(given.slice(0, -1)) : line === given,
    );
  return locked.filter((line) => !now.has(line) && !isGivenUp(line));
}

/** Where the current suite promises less than the lock, as lines for a reader. */
export function brokenLock(): string[] {
  const loosened = readLoosened();
  const unreasoned = loosened.filter(({ because }) => typeof because !== "string" || because.trim() === "");
  return [
    ...unreasoned.map(({ line }) => `conformance/proof/loosened.yaml: ${line} should say because`),
    ...missingFrom(readLock(), linesNow(), loosened).map(
      (line) =>
        `no longer there: ${line}. Bring it back, or say why in conformance/proof/loosened.yaml; if it was never landed, delete its line of conformance/proof/lock.txt.`,
    ),
  ];
}

/** Locks the lines that are true now; earlier lines that are neither true nor given up remain. */
export function writeLock(): void {
  const now = linesNow();
  const lines = [...new Set([...now, ...missingFrom(readLock(), now, readLoosened())])].sort();
  writeFileSync(lockFile, `${lines.join("\n")}\n`);
}
