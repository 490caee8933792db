import type { Lateness, PackedFigures, Second, StepFigures } from "../engine/figures.ts";
import type { HeldThreshold } from "../engine/thresholds.ts";
import type { Ended } from "../ended.ts";
import type { Finding } from "../judgement.ts";
import type { Outcome, Phase } from "../outcome.ts";
import type { RateLimitFacts } from "../../conformance/limits/facts.ts";
import { judgedQuestions, lastLine, type Question } from "../../base/judged.ts";

/** The content of `load.json`. Durations in milliseconds, times in epoch milliseconds. */
export interface LoadReport {
  contract_version: string;
  /** Set if the server announces another version, which the reader must know first. */
  version_note: string | null;
  scenario: string;
  target: string;
  started_at: string;
  duration_ms: number;
  /** Why the load ended before it was done. */
  ended?: (Pick<Ended, "by"> & { text: string }) | null;
  /** The number of exchanges judged by the rules. */
  judged: number;
  /** Answers of every status. */
  answers: number;
  /** Answers that were what their requests were sent for. Rates and percentiles are of these. */
  expected: number;
  /** Requests that did not get an expected answer: another one, none, or none before the load ended. */
  failed: number;
  /** Requests that got no answer. */
  unanswered: number;
  /** Requests without an answer when the load ended; they count in the latencies with the time that they had waited. */
  unfinished?: number;
  /** How late the load started its own requests. */
  lateness?: Lateness | null;
  /** What the scenario exists to judge; absent in reports of earlier versions. */
  questions?: Question[];
  notes: string[];
  /** What makes the figures less than they seem. */
  warnings?: string[];
  values: Record<string, number>;
  thresholds: HeldThreshold[];
  findings: Finding[];
  steps: StepFigures[];
  seconds: Second[];
  phases?: Phase[];
  limits?: RateLimitFacts[];
  windows: NonNullable<Outcome["windows"]> | null;
  memory: NonNullable<Outcome["memory"]> | null;
  /** The histograms themselves, for `load merge`. */
  figures?: PackedFigures;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** What a condition measured, in words. */
export const measuredWords = ({ measured, isShare = false }: HeldThreshold): string =>
  measured === null ? "nothing to measure" : `measured ${shown(measured)}${isShare ? " %" : ""}`;

/** Formats milliseconds, or any other number, to a sensible precision. */
export const shown = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);

/** How many obligations are broken, and how many recommendations. */
export function countsOf(findings: readonly Finding[]): { faults: number; warnings: number } {
  const faults = findings.filter(({ verdict }) => verdict === "fail").length;
  return { faults, warnings: findings.length - faults };
}

/** The result in a few words. */
export function verdictOf(report: LoadReport): string {
  const wrong = [...(report.ended == null ? [] : [report.ended.text]), ...wrongIn(report)];
  if (wrong.length > 0) return wrong.join(", ");
  return judgedNothing(report) ? "unverified: nothing was judged" : "nothing failed";
}

function wrongIn({ findings, thresholds }: LoadReport): string[] {
  const { faults } = countsOf(findings);
  const missed = thresholds.filter(({ kept }) => !kept).length;
  return [
    ...(faults > 0 ? [counted(faults, "fault")] : []),
    ...(missed > 0 ? [`${counted(missed, "condition")} not met`] : []),
  ];
}

/** Whether nothing that the scenario exists to judge was judged. */
const judgedNothing = ({ questions, answers, judged }: LoadReport): boolean =>
  questions === undefined ? answers === 0 && judged === 0 : judgedQuestions(questions).judged === 0;

/** The last line of a report: what was judged, and what would add most. */
export function judgedLine(report: LoadReport): string {
  const wrong = wrongIn(report);
  const result =
    wrong.length > 0 ? wrong.join(", ") : judgedNothing(report) ? null : "nothing failed in these";
  return lastLine(judgedQuestions(report.questions ?? []), result);
}

/**
 * 0: nothing failed; 1: the server failed an obligation, or a condition was missed or ended the load; 2: the profile does
 * not fit; 3: the server went away, the budget of waiting was spent, or nothing was judged; 130: interrupted, and
 * nothing had failed.
 */
export function loadStatus(report: LoadReport): number {
  const { findings, thresholds, ended } = report;
  if (ended?.by === "server") return 3;
  if (ended?.by === "setting") return 2;
  if (countsOf(findings).faults > 0 || thresholds.some(({ kept }) => !kept) || ended?.by === "condition")
    return 1;
  if (ended != null) return { budget: 3, interrupt: 130 }[ended.by];
  return judgedNothing(report) ? 3 : 0;
}
