import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { checks } from "../suite/checks.ts";
import { oneOf, text, whole, yes } from "../../cli/flag.ts";
import { verb, type Values } from "../../cli/verb.ts";
import { written } from "../../cli/write.ts";
import { paintFor, progress } from "../report/terminal.ts";
import { rules } from "../suite/rules.ts";
import { dispositionOf, type Disposition } from "./dispositions.ts";
import { WrongUse } from "../../cli/exit.ts";
import type { ImpostorTrial } from "./impostors/impostor.ts";
import { impostors } from "./impostors/index.ts";
import { writeLock } from "./lock.ts";
import { mutants } from "./mutants.ts";
import type { Kill } from "./kill.ts";
import { isChosen, partFlags, shardOf } from "./part.ts";
import { figureOf, publish } from "./publish.ts";
import { dispositionsOfSpec, specMutants } from "./spec/index.ts";
import { shareKilled, tellGenerated, undisposed, type GeneratedKill } from "./generated.ts";
import { knownOf, lostSince, readResults, storing, type Source } from "./results.ts";
import type { Trial } from "./trial.ts";
import { variations } from "./variations/index.ts";

/** A job for a worker process, by index in its list. */
export interface Job {
  kind: "mutant" | "variation" | "impostor" | "spec";
  index: number;
  whole: boolean;
  fast: boolean;
  everywhere: boolean;
}

export type Outcome =
  | { kind: "mutant"; kill: Kill }
  | { kind: "variation"; trial: Trial }
  | { kind: "impostor"; trial: ImpostorTrial }
  | { kind: "spec"; kill: GeneratedKill };

/** The format of `mutants.json`. */
export interface Matrix {
  mutants: Kill[];
  survivors: string[];
  checks_without_kill: string[];
  variations: Trial[];
  impostors: ImpostorTrial[];
}

const flags = {
  from: oneOf(
    "--from <SOURCE>",
    "hand: the mutants of the rooms; spec: those that follow from the spec; code: those of the server's sources",
    ["hand", "spec", "code"],
  ).or("hand"),
  ...partFlags,
  whole: yes("--whole", "each mutant against the whole suite, so that collateral shows"),
  everywhere: yes(
    "--everywhere",
    "each variation also with its address alone, in a recording, and under load",
  ),
  slow: yes("--slow", "with the checks that wait for a rate-limit window to end"),
  sample: whole("--sample <N>", "about N of all, drawn by chance"),
  seed: text("--seed <SEED>", "draws the same sample again").or(String(Date.now() % 1_000_000), "by chance"),
  unrun: yes("--unrun", "of generated ones: only what no stored run has met"),
  publish: yes(
    "--publish",
    "generated: stores the results and writes docs/proof.md; a complete run by hand: the figure in README.md, and the lock",
  ),
  json: text("--json <FILE>", "where the matrix goes").or("reports/mutants.json"),
};
type Flags = Values<typeof flags>;

/** Whether a filter of several words occurs in an id or description. */
const isPart = (words: string, variation: string): boolean =>
  words.includes(" ") && variation.includes(words);

/** The jobs for generated mutants: all, or those of an operation or a family, or with some words in their id. */
const generatedJobs = (names: readonly string[]): Job[] =>
  specMutants.flatMap(({ id, operation, family }, index) =>
    names.length === 0 ||
    names.some((name) => [operation, family].includes(name as never) || isPart(name, id))
      ? [{ kind: "spec", index, whole: false, fast: true, everywhere: false }]
      : [],
  );

/** The jobs for handwritten mutants: all, or those of an area, a clause or a kind, or with some words in their name. */
function handJobs({ only, whole, slow, everywhere }: Flags): Job[] {
  const job = (kind: Job["kind"], index: number): Job => ({
    kind,
    index,
    whole,
    fast: !slow,
    everywhere,
  });
  const named = (kind: "impostor" | "variation", list: readonly { name: string }[]): Job[] =>
    list.flatMap(({ name }, index) =>
      only.length === 0 || only.some((one) => one === `${kind}s` || isPart(one, name))
        ? [job(kind, index)]
        : [],
    );
  return [
    ...named("impostor", impostors),
    ...named("variation", variations),
    ...mutants.flatMap((one, index) => (isChosen(one.clause, only) ? [job("mutant", index)] : [])),
  ];
}

function jobsOf(flags: Flags): Job[] {
  const { from, only, sample = Infinity, seed, shard } = flags;
  const jobs = from === "spec" ? generatedJobs(only) : handJobs(flags);
  if (jobs.length === 0) throw new WrongUse(`there is no mutant nor variation of ${only.join(", ")}`);
  return shardOf(drawn(jobs, sample, seed), shard);
}

/** A sample of the jobs, chosen by a hash of seed and index, and so the same for the same seed. */
function drawn(jobs: Job[], sample: number, seed: string): Job[] {
  const lot = ({ kind, index }: Job): string =>
    createHash("sha256").update(`${seed} ${kind} ${index}`).digest("hex");
  return jobs
    .map((job) => ({ job, lot: lot(job) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, sample)
    .map(({ job }) => job);
}

/** Runs the jobs in several processes; each takes the next job when it is done. */
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

/** Runs the jobs and stores each result at its place in the matrix. */
async function matrixOf(jobs: Job[], everything: boolean): Promise<Matrix> {
  const line = progress(process.stderr);
  const matrix: Matrix = {
    mutants: [],
    survivors: [],
    checks_without_kill: [],
    variations: [],
    impostors: [],
  };
  let done = 0;
  await work(jobs, (outcome) => {
    if (outcome.kind === "mutant") matrix.mutants.push(outcome.kill);
    else if (outcome.kind === "variation") matrix.variations.push(outcome.trial);
    else if (outcome.kind === "impostor") matrix.impostors.push(outcome.trial);
    line.show(`${(done += 1)} of ${jobs.length}  ${nameOf(outcome)}`);
  });
  line.clear();
  matrix.mutants.sort((one, other) => one.clause.localeCompare(other.clause));
  matrix.survivors = matrix.mutants
    .filter((kill) => kill.killed_by.length === 0)
    .map((kill) => `${kill.clause} ${kill.name}`);
  const killers = new Set(matrix.mutants.flatMap((kill) => kill.killed_by));
  const broken = new Set(matrix.mutants.map((kill) => kill.clause));
  matrix.checks_without_kill = [...checks, ...rules]
    .filter(({ id, clauses }) => !killers.has(id) && (everything || clauses.every((one) => broken.has(one))))
    .map((one) => one.id);
  return matrix;
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** The required kill rate among mutants that break the contract. */
const leastKilled = 0.95;

/** Runs the mutants of the server's sources. @returns the exit status */
async function codeMatrix(flags: Flags): Promise<number> {
  const { only, sample, seed, unrun, publish: isPublished } = flags;
  const { dispositionsOfCode, proveCode, siteIds } = await import("./code/prove.ts");
  const except = unrun ? knownOf(await readResults("code")) : new Set<string>();
  const line = progress(process.stderr);
  const store = isPublished ? storing("code", siteIds()) : null;
  const kills = await proveCode({ only, sample: sample ?? Infinity, seed, except }, (kill, done, total) => {
    line.show(`${done} of ${total}  ${kill.id}`);
    store?.add(kill);
  });
  line.clear();
  await store?.end();
  const isWorse = await concluded("code", kills, dispositionsOfCode, flags);
  // The rate of a sample is not meaningful.
  return isWorse || (sample === undefined && shareKilled(kills, dispositionsOfCode) < leastKilled) ? 1 : 0;
}

/** Reports and stores results of generated mutants. @returns whether a mutant survives that an earlier run killed */
async function concluded(
  source: Source,
  kills: readonly GeneratedKill[],
  dispositions: readonly Disposition[],
  { json, sample, seed, publish: isPublished }: Flags,
): Promise<boolean> {
  const lost = lostSince(kills, await readResults(source));
  await written(json, `${JSON.stringify(kills, null, 2)}\n`);
  if (sample !== undefined) console.log(`a sample of ${kills.length}, drawn with --seed ${seed}`);
  tellGenerated(kills, dispositions);
  for (const id of lost) console.log(`${paintFor(process.stdout)("red", "✗ was killed before")}  ${id}`);
  if (isPublished) await (await import("./page.ts")).writePage();
  return lost.length > 0;
}

/** Runs the mutants derived from the spec. @returns the exit status */
async function specMatrix(flags: Flags): Promise<number> {
  const { unrun, publish: isPublished } = flags;
  const except = unrun ? knownOf(await readResults("spec")) : new Set<string>();
  const idOf = ({ index }: Job): string => specMutants[index]!.id;
  // Mutants that must be killed come first.
  const mayLive = (job: Job): boolean => dispositionOf(idOf(job), dispositionsOfSpec) !== null;
  const jobs = jobsOf(flags)
    .filter((job) => !except.has(idOf(job)))
    .sort((one, other) => Number(mayLive(one)) - Number(mayLive(other)));
  const line = progress(process.stderr);
  const store = isPublished
    ? storing(
        "spec",
        specMutants.map(({ id }) => id),
      )
    : null;
  const kills: GeneratedKill[] = [];
  await work(jobs, (outcome) => {
    if (outcome.kind !== "spec") return;
    kills.push(outcome.kill);
    store?.add(outcome.kill);
    line.show(`${kills.length} of ${jobs.length}  ${outcome.kill.id}`);
  });
  line.clear();
  await store?.end();
  const isWorse = await concluded("spec", kills, dispositionsOfSpec, flags);
  return isWorse || undisposed(kills, dispositionsOfSpec).length > 0 ? 1 : 0;
}

/** @param complete whether every check had a chance to kill each mutant */
function exitStatusOf(matrix: Matrix, complete: boolean): number {
  const wrong =
    matrix.survivors.length > 0 ||
    (complete && matrix.checks_without_kill.length > 0) ||
    matrix.variations.some((trial) => trial.false_alarms.length > 0) ||
    matrix.impostors.some((trial) => trial.praised.length > 0) ||
    matrix.mutants.some((kill) => kill.unrelated.length > 0);
  return wrong ? 1 : 0;
}

export default verb({
  flags,
  about: `Proves the suite: every mutant must die, every check must kill, no variation may raise an alarm. Each mutant meets the
checks of its area. --only also takes the words variations and impostors, or some words of one; with --from spec, an
operation, a family, or words of an id.`,
  async run(flags) {
    const { from, only, sample, seed, shard, publish: isPublished, json } = flags;
    const complete = shard.of === 1 && sample === undefined;
    const everything = only.length === 0;
    if (from === "code") return codeMatrix(flags);
    if (from === "spec") return specMatrix(flags);
    if (isPublished && !(complete && everything)) {
      throw new WrongUse("--publish is for a complete run: no --only, --shard or --sample");
    }
    const jobs = jobsOf(flags);
    const matrix = await matrixOf(jobs, everything);
    await written(json, `${JSON.stringify(matrix, null, 2)}\n`);
    if (sample !== undefined) console.log(`a sample of ${jobs.length}, drawn with --seed ${seed}`);
    tell(matrix, complete);
    if (isPublished) {
      await publish("README.md", "conformance/proof/figure.json", figureOf(matrix, today()));
      writeLock();
    }
    return exitStatusOf(matrix, complete);
  },
});

function tell(matrix: Matrix, complete: boolean): void {
  const paint = paintFor(process.stdout);
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
