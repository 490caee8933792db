import type { Lateness, PackedFigures, Second, StepFigures } from "../engine/figures.ts";
import type { HeldThreshold } from "../engine/thresholds.ts";
import type { Ended } from "../ended.ts";
import type { Finding } from "../judgement.ts";
import type { Outcome, Phase } from "../outcome.ts";
import type { RateLimitFacts } from "../../conformance/suite/limits/judge/facts.ts";

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
  answers: number;
  errors: number;
  /** Requests without an answer when the load ended; they count in the latencies with the time that they had waited. */
  unfinished?: number;
  /** How late the load started its own requests. */
  lateness?: Lateness | null;
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

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** How many obligations are broken, and how many recommendations. */
export function countsOf(findings: readonly Finding[]): { faults: number; warnings: number } {
  const faults = findings.filter(({ verdict }) => verdict === "fail").length;
  return { faults, warnings: findings.length - faults };
}

/** The result in a few words. */
export function verdictOf({ findings, thresholds, answers, ended }: LoadReport): string {
  const { faults } = countsOf(findings);
  const missed = thresholds.filter(({ kept }) => !kept).length;
  const wrong = [
    ...(ended == null ? [] : [ended.text]),
    ...(faults > 0 ? [counted(faults, "fault")] : []),
    ...(missed > 0 ? [`${counted(missed, "condition")} not met`] : []),
  ];
  if (wrong.length > 0) return wrong.join(", ");
  return answers === 0 ? "nothing was answered" : "nothing failed";
}

/**
 * 0: nothing failed; 1: the server failed an obligation, or a condition was missed or ended the load; 3: the server
 * went away, or the budget of waiting was spent; 130: interrupted, and nothing had failed.
 */
export function loadStatus({ findings, thresholds, ended }: LoadReport): number {
  if (ended?.by === "server") return 3;
  if (countsOf(findings).faults > 0 || thresholds.some(({ kept }) => !kept) || ended?.by === "condition")
    return 1;
  return ended == null ? 0 : { budget: 3, interrupt: 130 }[ended.by];
}
