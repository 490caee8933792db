import { areaOf } from "../judge/area.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import { impostors } from "./impostors/index.ts";
import { proveByJobs, type JobSubject, type Outcome } from "./jobs.ts";
import type { GeneratedKill, Kill } from "./kill.ts";
import { mutants } from "./mutants.ts";
import type { Became, Remark, Scope, Source } from "./source.ts";
import { readKillers } from "./store.ts";
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

const nameOf = ({ clause, name }: { clause: string; name: string }): string => `${clause} ${name}`;

const subjects: readonly JobSubject[] = [
  ...impostors.map(({ name }, index): JobSubject => ({
    id: name,
    names: ["impostors"],
    jobOf: () => ({ kind: "impostor", index }),
  })),
  ...variations.map(({ name }, index): JobSubject => ({
    id: name,
    names: ["variations"],
    jobOf: ({ everywhere = false, slow }) => ({ kind: "variation", index, everywhere, fast: !slow }),
  })),
  ...mutants.map((mutant, index): JobSubject => ({
    id: nameOf(mutant),
    names: ["mutants", mutant.clause, areaOf(mutant.clause)],
    jobOf: ({ whole = false, alone = false, barren = false, slow }) => {
      return { kind: "mutant", index, whole, alone, barren, fast: !slow };
    },
  })),
];

/** Mutants, variations and impostors that are written by hand. */
export const byHand: Source<ByHand> = {
  name: "hand",
  subjects,
  prove: proveByJobs(subjects, (outcome) => outcome as ByHand),
  becameOf(result): Became {
    if (result.kind === "mutant") {
      const { kill } = result;
      return { ...kill, id: nameOf(kill), fate: kill.killed_by.length > 0 ? "killed" : "survived" };
    }
    const { name: id } = result.trial;
    return result.kind === "impostor"
      ? { id, fate: result.trial.praised.length === 0 ? "seenThrough" : "praised" }
      : { id, fate: result.trial.false_alarms.length === 0 ? "quiet" : "alarmed" };
  },
  remarksOf(results, scope) {
    const { checks_without_kill: idle } = matrixOf(results, scope);
    return [
      ...results.flatMap(remarksOn),
      ...(scope.complete ? idle.map((id): Remark => ["✗ kills nothing", id]) : []),
    ];
  },
  figuresOf,
};

/** The results as a matrix. */
export function matrixOf(
  results: readonly ByHand[],
  { everything, unfinished }: Pick<Scope, "everything" | "unfinished">,
): Matrix {
  const [kills, trials, impostorTrials] = partsOf(results);
  kills.sort((one, other) => one.clause.localeCompare(other.clause));
  // Kills of generated mutants count too.
  const killers = new Set([...Object.keys(readKillers()), ...kills.flatMap((kill) => kill.killed_by)]);
  const met = new Set(kills.map(nameOf));
  const unmet = new Set<string>(
    mutants.filter((mutant) => !met.has(nameOf(mutant))).map(({ clause }) => clause),
  );
  const broken = new Set(kills.map(({ clause }) => clause).filter((clause) => !unmet.has(clause)));
  return {
    mutants: kills,
    survivors: kills.filter((kill) => kill.killed_by.length === 0).map(nameOf),
    checks_without_kill: [...checks, ...rules]
      .filter(
        ({ id, clauses }) =>
          !killers.has(id) && (everything || clauses.every((clause) => broken.has(clause))),
      )
      .map((mutant) => mutant.id),
    variations: trials,
    impostors: impostorTrials,
    unfinished: [...unfinished],
  };
}

const partsOf = (results: readonly ByHand[]): [Kill[], Trial[], ImpostorTrial[]] => [
  results.flatMap((result) => (result.kind === "mutant" ? [result.kill] : [])),
  results.flatMap((result) => (result.kind === "variation" ? [result.trial] : [])),
  results.flatMap((result) => (result.kind === "impostor" ? [result.trial] : [])),
];

function remarksOn(result: ByHand): Remark[] {
  switch (result.kind) {
    case "mutant": {
      const { kill } = result;
      return kill.unrelated.length > 0
        ? [["✗ unrelated", `${nameOf(kill)}: ${kill.unrelated.join(", ")}`]]
        : [];
    }
    case "variation": {
      const { name, permitted_by: words, musts_kept: kept, false_alarms: alarms } = result.trial;
      return [
        ["variation", `${name}: ${kept} must checks and rules kept`],
        ...alarms.map(({ way, id, expected, received }): Remark => [
          "✗ false alarm",
          `${name} (permitted by ${words})\n    ${way}: ${id}: expected ${expected}, received ${received}`,
        ]),
      ];
    }
    case "impostor": {
      const { name, kept, praised } = result.trial;
      return [
        ["impostor", `${name} keeps ${kept.length} clauses${kept.length > 0 ? `: ${kept.join(" ")}` : ""}`],
        ...(praised.length > 0 ? [["✗ praised", `${name}: ${praised.join(", ")}`] as const] : []),
      ];
    }
  }
}

function figuresOf(results: readonly ByHand[]): string[] {
  const [kills, trials, impostorTrials] = partsOf(results);
  const count = <One>(all: readonly One[], listOf: (item: One) => readonly unknown[]): number =>
    all.filter((item) => listOf(item).length > 0).length;
  const killed = count(kills, (kill) => kill.killed_by);
  return [
    `mutants: ${killed} killed, ${kills.length - killed} survived; ` +
      `${count(kills, (kill) => kill.collateral)} failed other checks too, ` +
      `${count(kills, (kill) => kill.unrelated)} of them checks that had not met the fault`,
    `variations: ${trials.length} judged, ${count(trials, (trial) => trial.false_alarms)} with a false alarm`,
    `impostors: ${impostorTrials.length} judged, ${count(impostorTrials, (trial) => trial.praised)} praised`,
  ];
}
