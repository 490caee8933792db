import { checks } from "../suite/checks.ts";
import { paintFor, progress } from "../report/terminal.ts";
import { rules } from "../suite/rules.ts";
import { workerPool } from "./worker-pool.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import { impostors } from "./impostors/index.ts";
import { jobMs, judgingWorker, type Job } from "./jobs.ts";
import { readKillers } from "./killers.ts";
import type { Kill } from "./kill.ts";
import { mutants } from "./mutants.ts";
import { drawn, isChosen, isPart, shardOf } from "./part.ts";
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
}

/** Which mutants, variations and impostors run, and how. */
export interface HandChoice {
  /** Areas, clauses, `variations`, `impostors`, or several words of a name; empty means all. */
  only: readonly string[];
  shard: { index: number; of: number };
  sample?: number | undefined;
  seed: string;
  whole: boolean;
  alone: boolean;
  slow: boolean;
  everywhere: boolean;
  barren?: boolean;
  /** Only these names. */
  among?: readonly string[];
}

/** A job with the name that is shown and used to draw a sample. */
interface Named {
  name: string;
  job: Job;
}

/** The jobs for what has one of the chosen names. */
export function handJobs({
  only,
  whole,
  alone,
  slow,
  everywhere,
  barren,
  among,
  shard,
  ...lot
}: HandChoice): Named[] {
  const fast = !slow;
  const isNamed = (kind: string, name: string): boolean =>
    only.length === 0 || only.some((one) => one === kind || isPart(one, name));
  const all: Named[] = [
    ...impostors.flatMap(({ name }, index): Named[] =>
      isNamed("impostors", name) ? [{ name, job: { kind: "impostor", index } }] : [],
    ),
    ...variations.flatMap(({ name }, index): Named[] =>
      isNamed("variations", name) ? [{ name, job: { kind: "variation", index, everywhere, fast } }] : [],
    ),
    ...mutants.flatMap(({ clause, name }, index): Named[] =>
      isChosen(clause, only) || (only.length > 0 && isNamed("mutants", name))
        ? [
            {
              name: `${clause} ${name}`,
              job: { kind: "mutant", index, whole, alone, fast, ...(barren && { barren }) },
            },
          ]
        : [],
    ),
  ];
  return shardOf(
    drawn(
      all.filter(({ name }) => among?.includes(name) ?? true),
      ({ name }) => name,
      lot,
    ),
    shard,
  );
}

/** The results of jobs, each at its place. */
type Results = Pick<Matrix, "mutants" | "variations" | "impostors" | "unfinished">;

const noResults = (): Results => ({ mutants: [], variations: [], impostors: [], unfinished: [] });

/** Runs the jobs and stores each result at its place in the matrix. */
export async function matrixOf(jobs: readonly Named[], everything: boolean): Promise<Matrix> {
  const line = progress(process.stderr);
  const results = noResults();
  let done = 0;
  await workerPool(jobs, judgingWorker, async ({ name, job }, worker) => {
    const outcome = await worker.perform(job, jobMs).catch((error: Error) => error.message);
    if (typeof outcome === "string") results.unfinished.push(`${name}: ${outcome}`);
    else if (outcome.kind === "mutant") results.mutants.push(outcome.kill);
    else if (outcome.kind === "variation") results.variations.push(outcome.trial);
    else if (outcome.kind === "impostor") results.impostors.push(outcome.trial);
    line.show(`${(done += 1)} of ${jobs.length}  ${name}`);
  });
  line.clear();
  return matrixFrom(results, everything);
}

function matrixFrom(results: Results, everything: boolean): Matrix {
  const kills = results.mutants.toSorted((one, other) => one.clause.localeCompare(other.clause));
  // Kills of generated mutants count too.
  const killers = new Set([...Object.keys(readKillers()), ...kills.flatMap((kill) => kill.killed_by)]);
  const broken = new Set<string>(kills.map((kill) => kill.clause));
  return {
    ...results,
    mutants: kills,
    survivors: kills
      .filter((kill) => kill.killed_by.length === 0)
      .map((kill) => `${kill.clause} ${kill.name}`),
    checks_without_kill: [...checks, ...rules]
      .filter(
        ({ id, clauses }) => !killers.has(id) && (everything || clauses.every((one) => broken.has(one))),
      )
      .map((one) => one.id),
  };
}

/** @param complete whether every check had a chance to kill each mutant */
export function exitStatusOf(matrix: Matrix, complete: boolean): number {
  const wrong =
    matrix.unfinished.length > 0 ||
    matrix.survivors.length > 0 ||
    (complete && matrix.checks_without_kill.length > 0) ||
    matrix.variations.some((trial) => trial.false_alarms.length > 0) ||
    matrix.impostors.some((trial) => trial.praised.length > 0) ||
    matrix.mutants.some(
      ({ unrelated, blind = [], unsound = [] }) => unrelated.length + blind.length + unsound.length > 0,
    );
  return wrong ? 1 : 0;
}

/** Prints the problems, and the figures. */
export function print(matrix: Matrix, complete: boolean): void {
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
    if (blocked.length > 0) console.log(`    blocked, and nothing red says why: ${blocked.join(", ")}`);
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
