import { checks } from "../suite/checks.ts";
import { paintFor } from "../report/terminal.ts";
import { rules } from "../suite/rules.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import { impostors } from "./impostors/index.ts";
import type { GeneratedKill } from "./generated.ts";
import { performAll, type Job, type Outcome } from "./jobs.ts";
import { readKillers } from "./killers.ts";
import type { Kill } from "./kill.ts";
import { mutants } from "./mutants.ts";
import type { Became, Manner, Scope, Source, Subject } from "./source.ts";
import type { Trial } from "./trial.ts";
import { variations } from "./variations/index.ts";

/** The format of `mutants.json`. */
export interface Matrix {
  mutants: Kill[];
  survivors: string[];
  checks_without_kill: string[];
  variations: Trial[];
  impostors: ImpostorTrial[];
  /** What has no result, and why. */
  unfinished: string[];
  /** Mutants of the spec that were named too, and that no stored run had met. */
  of_spec?: readonly GeneratedKill[];
}

/** The result for a mutant, a variation or an impostor. */
export type ByHand = Extract<Outcome, { kind: "mutant" | "variation" | "impostor" }>;

/** Mutants, variations and impostors that are written by hand. */
export const byHand: Source<ByHand> = {
  name: "hand",
  subjects: [...impostorSubjects(), ...variationSubjects(), ...mutantSubjects()],
  async prove(ids, manner, onResult, onFailure) {
    await performAll(
      ids,
      (id) => jobOf(id, manner),
      (outcome) => onResult(outcome as ByHand),
      onFailure,
    );
  },
  becameOf: (result): Became => {
    if (result.kind === "mutant") {
      const { clause, name, killed_by: killedBy } = result.kill;
      return { id: `${clause} ${name}`, fate: killedBy.length > 0 ? "killed" : "survived", killedBy };
    }
    if (result.kind === "impostor")
      return { id: result.trial.name, fate: result.trial.praised.length === 0 ? "seenThrough" : "praised" };
    return { id: result.trial.name, fate: result.trial.false_alarms.length === 0 ? "quiet" : "alarmed" };
  },
  report(results, scope) {
    const matrix = matrixOf(results, scope);
    print(matrix, scope.complete);
    return isWrong(matrix, scope.complete);
  },
};

/** The results as a matrix. */
export function matrixOf(
  results: readonly ByHand[],
  { everything, unfinished }: Pick<Scope, "everything" | "unfinished">,
): Matrix {
  const kills = results
    .flatMap((one) => (one.kind === "mutant" ? [one.kill] : []))
    .toSorted((one, other) => one.clause.localeCompare(other.clause));
  // Kills of generated mutants count too.
  const killers = new Set([...Object.keys(readKillers()), ...kills.flatMap((kill) => kill.killed_by)]);
  const broken = new Set<string>(kills.map((kill) => kill.clause));
  return {
    mutants: kills,
    survivors: kills
      .filter((kill) => kill.killed_by.length === 0)
      .map((kill) => `${kill.clause} ${kill.name}`),
    checks_without_kill: [...checks, ...rules]
      .filter(
        ({ id, clauses }) => !killers.has(id) && (everything || clauses.every((one) => broken.has(one))),
      )
      .map((one) => one.id),
    variations: results.flatMap((one) => (one.kind === "variation" ? [one.trial] : [])),
    impostors: results.flatMap((one) => (one.kind === "impostor" ? [one.trial] : [])),
    unfinished: [...unfinished],
  };
}

function mutantSubjects(): Subject[] {
  return mutants.map(({ clause, name }) => ({
    id: `${clause} ${name}`,
    names: ["mutants", clause, clause.split("-")[0]!],
  }));
}

function variationSubjects(): Subject[] {
  return variations.map(({ name }) => ({ id: name, names: ["variations"] }));
}

function impostorSubjects(): Subject[] {
  return impostors.map(({ name }) => ({ id: name, names: ["impostors"] }));
}

function jobOf(id: string, { whole = false, alone = false, everywhere = false, ...manner }: Manner): Job {
  const fast = !manner.slow;
  const mutant = mutants.findIndex(({ clause, name }) => `${clause} ${name}` === id);
  if (mutant >= 0)
    return { kind: "mutant", index: mutant, whole, alone, fast, ...(manner.barren && { barren: true }) };
  const variation = variations.findIndex(({ name }) => name === id);
  if (variation >= 0) return { kind: "variation", index: variation, everywhere, fast };
  return { kind: "impostor", index: impostors.findIndex(({ name }) => name === id) };
}

/** @param complete whether every check had a chance to kill each mutant */
function isWrong(matrix: Matrix, complete: boolean): boolean {
  return (
    matrix.unfinished.length > 0 ||
    matrix.survivors.length > 0 ||
    (complete && matrix.checks_without_kill.length > 0) ||
    matrix.variations.some((trial) => trial.false_alarms.length > 0) ||
    matrix.impostors.some((trial) => trial.praised.length > 0) ||
    matrix.mutants.some(
      ({ unrelated, blind = [], unsound = [] }) => unrelated.length + blind.length + unsound.length > 0,
    )
  );
}

/** Prints the problems, and the figures. */
function print(matrix: Matrix, complete: boolean): void {
  const paint = paintFor(process.stdout);
  for (const what of matrix.unfinished) console.log(`${paint("red", "✗ not judged")}  ${what}`);
  for (const { clause, name, unsound = [] } of matrix.mutants) {
    if (unsound.length > 0)
      console.log(
        `${paint("red", "✗ does not pass on the unaltered server")}  ${clause} ${name}: ${unsound.join(", ")}`,
      );
  }
  for (const { clause, name, killed_by: killers, blocked } of matrix.mutants) {
    if (killers.length > 0) continue;
    console.log(`${paint("red", "✗ survived")}  ${clause} ${name}`);
    if (blocked.length > 0) console.log(`    blocked, and no failure says why: ${blocked.join(", ")}`);
  }
  for (const trial of matrix.variations) {
    console.log(`variation  ${trial.name}: ${trial.musts_kept} must checks and rules kept`);
    for (const alarm of trial.false_alarms) {
      console.log(`${paint("red", "✗ false alarm")}  ${trial.name} (permitted by ${trial.permitted_by})`);
      console.log(`    ${alarm.way}: ${alarm.id}: expected ${alarm.expected}, received ${alarm.received}`);
    }
  }
  for (const { name, kept, praised } of matrix.impostors) {
    console.log(
      `impostor  ${name} keeps ${kept.length} clauses${kept.length > 0 ? `: ${kept.join(" ")}` : ""}`,
    );
    if (praised.length > 0) console.log(`${paint("red", "✗ praised")}  ${name}: ${praised.join(", ")}`);
  }
  for (const { clause, name, unrelated } of matrix.mutants) {
    if (unrelated.length > 0)
      console.log(`${paint("red", "✗ unrelated")}  ${clause} ${name}: ${unrelated.join(", ")}`);
  }
  for (const { clause, name, blind = [] } of matrix.mutants) {
    if (blind.length > 0)
      console.log(`${paint("red", "✗ passes blindly")}  ${clause} ${name}: ${blind.join(", ")}`);
  }
  if (complete) {
    for (const id of matrix.checks_without_kill) console.log(`${paint("yellow", "! kills nothing")}  ${id}`);
  }
  const firsts = Map.groupBy(
    matrix.mutants.flatMap(({ first }) => first ?? []),
    (first) => first,
  );
  const [byClause, byOperation, astray] = (["clause", "operation", "neither"] as const).map(
    (what) => firsts.get(what)?.length ?? 0,
  );
  console.log(`first findings: ${byClause} cite the clause, ${byOperation} the operation, ${astray} neither`);
  const collateral = matrix.mutants.filter((kill) => kill.collateral.length > 0).length;
  console.log(
    `mutants: ${matrix.mutants.length - matrix.survivors.length} killed, ${matrix.survivors.length} survived; ${collateral} failed other checks too, ` +
      `${matrix.mutants.filter((kill) => kill.unrelated.length > 0).length} of them checks that had not met the fault\n` +
      `variations: ${matrix.variations.length} judged, ${matrix.variations.filter((one) => one.false_alarms.length > 0).length} with a false alarm\n` +
      `impostors: ${matrix.impostors.length} judged, ${matrix.impostors.filter((one) => one.praised.length > 0).length} praised`,
  );
}
