import { contractVersion } from "../../generated/contract.ts";
import type { Verdict } from "../judge/verdict.ts";
import { judgedQuestions, lastLine, type Judged as JudgedShare } from "../../base/judged.ts";
import { calling } from "../report/explained.ts";
import { shortened } from "../judge/fact.ts";
import { wordsOf, type Missed } from "../judge/finding.ts";
import { reported, shellWord, suiteVersion, summaryOf, type ReportedCheck } from "../report/report.ts";
import type { Certified, Judged } from "./certify.ts";
import { billOf, type Bill } from "./bill.ts";
import type { Trial } from "./trial.ts";
import { kinds } from "./scenarios.ts";
import { faults, figuresOf, type Figures, type Problem } from "./verdict.ts";

type Words = Pick<Missed, "expected" | "received">;

/** One scenario in a certificate. */
export interface CertifiedScenario extends ReportedCheck {
  /** What the client did wrong, gravest first; the first gives `expected` and `received`. */
  problems: (Problem & Words)[];
  /** Null when the client was not run. */
  figures: Figures | null;
  /** What happens in it. */
  happens: string;
  /** What a right client does. */
  right: string;
  /** The command that repeats it alone. */
  repeat: string;
  /** The exit status of the client's command; null when it did not end, or was not run. */
  exit_status: number | null;
  /** The end of what the command printed. */
  output: string;
  /** The last lines of its standard error. */
  errors: string[];
}

/** The format of the JSON that `certify` writes. */
export interface Certificate {
  contract_version: string;
  suite_version: string;
  /** The client's command. */
  command: string;
  /** The environment variables with the base URL and the key. */
  variables: { base_url: string; key: string };
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** The number of scenarios by verdict, that of the run without a fault included. */
  summary: Record<Verdict, number>;
  /** Sums over all runs. */
  figures: Figures;
  /** What the client costs without a fault, and with the faults and unusual answers that the contract permits. */
  bill: { without_faults: Bill; with_faults: Bill };
  /** First the run without a fault. */
  checks: CertifiedScenario[];
}

/** @param options the options of `certify` with which a scenario is repeated */
export function certificateOf(
  { usual, problems, idle, judged }: Certified,
  {
    command,
    options,
    envUrl = "BASE_URL",
    envKey = "API_KEY",
    startedAt,
  }: {
    command: readonly string[];
    options: readonly string[];
    envUrl?: string;
    envKey?: string;
    startedAt: number;
  },
): Certificate {
  const line = command.map(shellWord).join(" ");
  const repeat = (id: string): string => [calling("certify"), "--only", id, ...options, "--", line].join(" ");
  const [baseline] = usual.runs;
  const isFailed = problems.some(({ level }) => level === "must");
  const verdict = isFailed ? "fail" : problems.length > 0 ? "warn" : "pass";
  const first: Judged = {
    scenario: { id: "baseline", kind: without, place: null },
    verdict: verdict === "pass" && idle !== null ? "unverified" : verdict,
    reason: idle,
    problems,
    figures: figuresOf(baseline, { runs: [baseline] }, problems),
    trial: baseline,
  };
  const checks = [first, ...judged].map((trial) => scenarioOf(trial, repeat(trial.scenario.id)));
  return {
    contract_version: contractVersion,
    suite_version: suiteVersion,
    command: line,
    variables: { base_url: envUrl, key: envKey },
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Date.now() - startedAt,
    summary: summaryOf(checks),
    bill: {
      without_faults: billOf(usual.runs, usual.runs),
      with_faults: billOf(judged.flatMap(billed), usual.runs),
    },
    figures: sumOf(checks.flatMap(({ figures }) => figures ?? [])),
    checks,
  };
}

/** The run of a scenario that a bill counts: one that took place, and in which the task stays possible. */
const billed = ({ scenario: { kind }, trial }: Judged): Trial[] =>
  trial === null || !trial.met || kind.stake === "change" ? [] : [trial];

const without = {
  ...kinds[0]!,
  name: "baseline",
  title: "without a fault",
  clauses: [],
  page: {
    happens: "Nothing unusual.",
    right: "It does its task, and keeps its half of the contract.",
    wrong: "",
  },
};

function scenarioOf(
  { scenario: { id, kind }, verdict, reason, problems, figures, trial }: Judged,
  repeat: string,
): CertifiedScenario {
  const reportedProblems = problems.map((problem) => ({
    ...problem,
    fact: shortened(problem.fact),
    ...wordsOf(problem.fact),
  }));
  const [worst] = reportedProblems;
  return {
    id,
    clauses: [...new Set(problems.flatMap(({ clause }) => clause ?? []))],
    level: worst?.level ?? "must",
    title: kind.title,
    verdict,
    reason:
      reason ??
      (worst === undefined ? null : `${worst.fault}: expected ${worst.expected}, received ${worst.received}`),
    ...(worst && { fact: worst.fact }),
    expected: worst?.expected ?? null,
    received: worst === undefined ? null : `${worst.received} (${worst.fault})`,
    remedy: null,
    duration_ms: Math.round(trial?.ended.durationMs ?? 0),
    exchanges: (trial?.exchanges ?? []).map(reported),
    culprit: worst?.at ?? trial?.struck[0] ?? null,
    problems: reportedProblems,
    figures,
    happens: kind.page.happens,
    right: kind.page.right,
    repeat,
    exit_status: trial?.ended.status ?? null,
    output: trial?.ended.output ?? "",
    errors: trial?.ended.errors ?? [],
  };
}

function sumOf(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0]!) as (keyof Figures)[];
  const sum = (name: keyof Figures): number => all.reduce((total, figures) => total + figures[name], 0);
  return Object.fromEntries(names.map((name) => [name, Number(sum(name).toFixed(6))])) as unknown as Figures;
}

/** The figures in words, in the order in which a reader asks for them. */
export const figureWords: readonly (readonly [keyof Figures, string])[] = [
  ["tasks", "tasks asked (different Calls)"],
  ["charges", "charges"],
  ["credits", "credits charged"],
  ["double_charges", "double charges"],
  ["double_credits", "credits overpaid"],
  ["results_unseen", "paid results never seen"],
  ["results_not_looked_up", "of these never looked up"],
  ["waits_not_waited", "waits cut short"],
  ["answers_not_read", "lawful answers that it could not read"],
];

/** Scenarios in which the client makes the same mistakes. */
export type Alike = [CertifiedScenario, ...CertifiedScenario[]];

/** What was found, gravest first. */
export function foundIn({ checks }: Certificate): Alike[] {
  const reported = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const wrong = ({ problems }: CertifiedScenario): string =>
    JSON.stringify(problems.map(({ at: _at, hint: _hint, ...problem }) => problem));
  const gravity = ([{ verdict, problems }]: Alike): number =>
    (verdict === "fail" ? 0 : faults.length) + faults.indexOf(problems[0]?.fault ?? faults[0]);
  const alike = [...Map.groupBy(reported, wrong).values()] as Alike[];
  return alike.toSorted((one, other) => gravity(one) - gravity(other));
}

/** A one-sentence summary; never positive while anything is in doubt. */
export function headline({ checks, summary }: Certificate): string {
  const [baseline] = checks;
  if (baseline?.verdict === "unverified") return "Nothing to judge: the client made no Call";
  const words = faults.flatMap((fault) => {
    const { length } = checks.filter(({ problems }) => problems.some((problem) => problem.fault === fault));
    return length === 0 ? [] : `${fault} in ${length} ${length === 1 ? "run" : "runs"}`;
  });
  if (words.length > 0) return `The client ${words.join(", ")}`;
  if (summary.pass <= 1) return "Nothing was verified: the client met no scenario";
  return summary.unverified > 0
    ? `Nothing found in ${summary.pass} runs; never met: ${summary.unverified} ${summary.unverified === 1 ? "scenario" : "scenarios"}`
    : `Nothing found in ${summary.pass} runs`;
}

/** How many scenarios the client met; the run without a fault stands for itself where there is no other. */
function judgedOf(certificate: Certificate): JudgedShare {
  const questions = askedIn(certificate).map(({ id, verdict, reason }) => ({
    what: id,
    lack:
      verdict === "unverified" ? { what: asPart(reason ?? "it was not met"), by: "reason" as const } : null,
  }));
  return judgedQuestions(questions, "scenario");
}

const askedIn = ({ checks: [baseline, ...scenarios] }: Certificate): readonly CertifiedScenario[] =>
  scenarios.length > 0 ? scenarios : [baseline!];

/** A sentence as a part of another one. */
const asPart = (sentence: string): string =>
  sentence.replace(/\.$/, "").replace(/^(?:The|After) /, (word) => word.toLowerCase());

/** Whether nothing was judged: the client made no Call, or met no scenario, and did nothing wrong. */
export const judgedNothing = (certificate: Certificate): boolean =>
  judgedOf(certificate).judged === 0 && certificate.summary.fail + certificate.summary.warn === 0;

/** The last line of a certificate: what was judged, and what was not. */
export function judgedLine(certificate: Certificate): string {
  const asked = askedIn(certificate);
  const count = (wanted: string): number => asked.filter(({ verdict }) => verdict === wanted).length;
  const warned = count("warn");
  const words = [`${count("pass")} right, ${count("fail")} wrong`];
  if (warned > 0) words.push(`${warned} with a warning`);
  const [baseline] = certificate.checks;
  if (!asked.includes(baseline!) && baseline!.problems.length > 0)
    words.push(`the run without a fault ${baseline!.verdict === "fail" ? "wrong" : "with a warning"}`);
  return lastLine(judgedOf(certificate), judgedNothing(certificate) ? null : words.join(", "));
}
