import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { checks } from "../suite/checks.ts";
import { exitingWith } from "../main.ts";
import { paintFor, progress } from "../report/terminal.ts";
import { rules } from "../suite/rules.ts";
import { WrongUse } from "../judge/verdict.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import { impostors } from "./impostors/index.ts";
import { mutants } from "./mutants.ts";
import type { Kill, Trial } from "./kill.ts";
import { publish } from "./publish.ts";
import { dispositionsOfSpec, specMutants } from "./spec/index.ts";
import type { SpecKill } from "./spec/judge.ts";
import { tellGenerated, undisposed } from "./generated.ts";
import { variations } from "./variations/index.ts";

const usage = `Proves the suite: every mutant must die, every check must kill, no variation may raise an alarm.

  npm run mutants                   the kill matrix, each mutant against the checks of its area
  npm run mutants -- --from spec    the mutants that follow from the spec, of all families and operations; --only takes
                                    an operation, a family, or words of an id
  npm run mutants -- --whole        each mutant against the whole suite, so that collateral shows
  npm run mutants -- --only WHAT    one area or clause: DISC, CALL-07; or variations, impostors, or words of one
  npm run mutants -- --shard I/N    the I-th of N equal parts
  npm run mutants -- --slow         with the checks that wait for a rate-limit window to end
  npm run mutants -- --sample N     about N of all, drawn by chance; --seed S draws the same again
  npm run mutants -- --publish      writes the figure into README.md, of a complete run only
  --json FILE                       where the matrix goes (reports/mutants.json)
`;

/** One piece of work for a worker process, by its index in its list. */
export interface Job {
  kind: "mutant" | "variation" | "impostor" | "spec";
  index: number;
  whole: boolean;
  fast: boolean;
}

export type Outcome =
  | { kind: "mutant"; kill: Kill }
  | { kind: "variation"; trial: Trial }
  | { kind: "impostor"; trial: ImpostorTrial }
  | { kind: "spec"; kill: SpecKill };

/** `mutants.json`. */
export interface Matrix {
  mutants: Kill[];
  survivors: string[];
  checks_without_kill: string[];
  variations: Trial[];
  impostors: ImpostorTrial[];
  /** Mutants that follow from the spec. */
  spec: SpecKill[];
}

function parse(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      from: { type: "string", default: "hand" },
      whole: { type: "boolean", default: false },
      slow: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      shard: { type: "string", default: "1/1" },
      sample: { type: "string" },
      publish: { type: "boolean", default: false },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      json: { type: "string", default: "reports/mutants.json" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [index, of] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(values.shard) ?? []).slice(1).map(Number);
  if (index === undefined || of === undefined || index > of) {
    throw new WrongUse(`--shard ${values.shard} should be I/N, such as 2/4`);
  }
  const sample = values.sample === undefined ? Infinity : Number(values.sample);
  if (!(sample >= 1)) throw new WrongUse(`--sample ${values.sample} should be a whole number, at least 1`);
  if (!["hand", "spec"].includes(values.from))
    throw new WrongUse(`--from ${values.from} should be hand or spec`);
  const partial = values.only.length > 0 || sample !== Infinity || of > 1;
  if (values.publish && partial)
    throw new WrongUse("--publish is for a complete run: no --only, --shard or --sample");
  return { ...values, sample, shard: { index, of } };
}

/** Several words of what a variation does. */
const isPart = (words: string, variation: string): boolean =>
  words.includes(" ") && variation.includes(words);

/** The jobs of what is generated: all, or those of an operation, a family, or with some words in their id. */
function generatedJobs(flags: ReturnType<typeof parse>): Job[] {
  return specMutants.flatMap(({ id, operation, family }, index) =>
    flags.only.length === 0 ||
    flags.only.some((only) => [operation, family].includes(only as never) || isPart(only, id))
      ? [{ kind: "spec", index, whole: false, fast: true }]
      : [],
  );
}

function jobsOf(flags: ReturnType<typeof parse>): Job[] {
  const chosen = (clause: string): boolean =>
    flags.only.length === 0 || flags.only.some((name) => name === clause || name === clause.split("-")[0]);
  const job = (kind: Job["kind"], index: number): Job => ({
    kind,
    index,
    whole: flags.whole,
    fast: !flags.slow,
  });
  const everything = flags.only.length === 0;
  const jobs =
    flags.from === "spec"
      ? generatedJobs(flags)
      : [
          ...impostors.flatMap(({ name }, index) =>
            everything || flags.only.some((only) => only === "impostors" || isPart(only, name))
              ? [job("impostor", index)]
              : [],
          ),
          ...variations.flatMap(({ name: variation }, index) =>
            everything || flags.only.some((name) => name === "variations" || isPart(name, variation))
              ? [job("variation", index)]
              : [],
          ),
          ...mutants.flatMap((one, index) => (chosen(one.clause) ? [job("mutant", index)] : [])),
        ];
  if (jobs.length === 0) throw new WrongUse(`there is no mutant nor variation of ${flags.only.join(", ")}`);
  return drawn(jobs, flags.sample, flags.seed).filter(
    (_, index) => index % flags.shard.of === flags.shard.index - 1,
  );
}

/** Some of the jobs, by a hash of seed and place: the same seed draws the same. */
function drawn(jobs: Job[], sample: number, seed: string): Job[] {
  if (sample >= jobs.length) return jobs;
  const lot = ({ kind, index }: Job): string =>
    createHash("sha256").update(`${seed} ${kind} ${index}`).digest("hex");
  return jobs
    .map((job) => ({ job, lot: lot(job) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, sample)
    .map(({ job }) => job);
}

/** Does the jobs in a few processes at once; each takes the next as soon as it has done one. */
async function work(jobs: Job[], onOutcome: (outcome: Outcome) => void): Promise<void> {
  const queue = [...jobs];
  const worker = async (): Promise<void> => {
    const child = fork(new URL(`worker${extname(import.meta.url)}`, import.meta.url));
    const ended = once(child, "exit").then(() => {
      throw new Error("a worker ended in the middle of its work");
    });
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      child.send(job);
      const [answer] = (await Promise.race([once(child, "message"), ended])) as [
        { outcome: Outcome } | { error: string },
      ];
      if ("error" in answer) throw new Error(answer.error);
      onOutcome(answer.outcome);
    }
    ended.catch(() => undefined);
    child.disconnect();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), jobs.length) }, worker));
}

const nameOf = (outcome: Outcome): string =>
  outcome.kind === "spec" ? outcome.kill.id : "kill" in outcome ? outcome.kill.name : outcome.trial.name;

/** The command. @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  const flags = parse(argv);
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const jobs = jobsOf(flags);
  const line = progress(process.stderr);
  const matrix: Matrix = {
    mutants: [],
    survivors: [],
    checks_without_kill: [],
    variations: [],
    impostors: [],
    spec: [],
  };
  let done = 0;
  await work(jobs, (outcome) => {
    if (outcome.kind === "mutant") matrix.mutants.push(outcome.kill);
    else if (outcome.kind === "variation") matrix.variations.push(outcome.trial);
    else if (outcome.kind === "spec") matrix.spec.push(outcome.kill);
    else matrix.impostors.push(outcome.trial);
    line.show(`${(done += 1)} of ${jobs.length}  ${nameOf(outcome)}`);
  });
  line.clear();
  matrix.mutants.sort((one, other) => one.clause.localeCompare(other.clause));
  matrix.survivors = matrix.mutants
    .filter((kill) => kill.killed_by.length === 0)
    .map((kill) => `${kill.clause} ${kill.name}`);
  const killers = new Set(matrix.mutants.flatMap((kill) => kill.killed_by));
  const broken = new Set(matrix.mutants.map((kill) => kill.clause));
  const everything = flags.only.length === 0;
  matrix.checks_without_kill = [...checks, ...rules]
    .filter(({ id, clauses }) => !killers.has(id) && (everything || clauses.every((one) => broken.has(one))))
    .map((one) => one.id);
  await mkdir("reports", { recursive: true });
  await writeFile(flags.json, `${JSON.stringify(matrix, null, 2)}\n`);
  const complete = flags.shard.of === 1 && flags.sample === Infinity;
  const idle = complete && matrix.checks_without_kill.length > 0;
  if (flags.sample !== Infinity) console.log(`a sample of ${jobs.length}, drawn with --seed ${flags.seed}`);
  if (flags.from === "spec") {
    tellGenerated(matrix.spec, dispositionsOfSpec);
    return undisposed(matrix.spec, dispositionsOfSpec).length > 0 ? 1 : 0;
  }
  tell(matrix, complete);
  if (flags.publish) await publish("README.md", matrix, new Date().toISOString().slice(0, 10));
  const alarms = matrix.variations.some((trial) => trial.false_alarms.length > 0);
  const praised = matrix.impostors.some((trial) => trial.praised.length > 0);
  const unrelated = matrix.mutants.some((kill) => kill.unrelated.length > 0);
  return matrix.survivors.length > 0 || unrelated || idle || alarms || praised ? 1 : 0;
}

function tell(matrix: Matrix, complete: boolean): void {
  const paint = paintFor(process.stdout);
  for (const survivor of matrix.survivors) console.log(`${paint("red", "✗ survived")}  ${survivor}`);
  for (const trial of matrix.variations) {
    for (const alarm of trial.false_alarms) {
      console.log(`${paint("red", "✗ false alarm")}  ${trial.name} (permitted by ${trial.permitted_by})`);
      console.log(`    ${alarm.id}: expected ${alarm.expected}, received ${alarm.received}`);
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
  if (complete) {
    for (const id of matrix.checks_without_kill) console.log(`${paint("yellow", "! kills nothing")}  ${id}`);
  }
  const collateral = matrix.mutants.filter((kill) => kill.collateral.length > 0).length;
  console.log(
    `${matrix.mutants.length} mutants, ${matrix.survivors.length} survived, ${collateral} turned other checks red too, ` +
      `${matrix.mutants.filter((kill) => kill.unrelated.length > 0).length} of them such as had not met what is broken; ` +
      `${matrix.variations.length} variations, ${matrix.variations.filter((one) => one.false_alarms.length > 0).length} with a false alarm; ` +
      `${matrix.impostors.length} impostors, ${matrix.impostors.filter((one) => one.praised.length > 0).length} praised`,
  );
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
