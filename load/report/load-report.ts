import { contractVersion } from "../../generated/contract.ts";
import type { Second, StepFigures } from "../figures.ts";
import type { Finding } from "../judgement.ts";
import type { Outcome } from "../outcome.ts";
import type { HeldThreshold } from "../thresholds.ts";

/** The content of `load.json`. Durations in milliseconds, times in epoch milliseconds. */
export interface LoadReport {
  contract_version: string;
  /** Set if the server announces another version, which the reader must know first. */
  version_note: string | null;
  scenario: string;
  target: string;
  started_at: string;
  duration_ms: number;
  /** The number of exchanges judged by the rules. */
  judged: number;
  answers: number;
  errors: number;
  notes: string[];
  values: Record<string, number>;
  thresholds: HeldThreshold[];
  findings: Finding[];
  steps: StepFigures[];
  seconds: Second[];
  windows: NonNullable<Outcome["windows"]> | null;
  /** What a run of rate-limits saw of each operation's limit. */
  limits?: NonNullable<Outcome["limits"]>;
  memory: NonNullable<Outcome["memory"]> | null;
}

export const reportOf = (parts: Omit<LoadReport, "contract_version">): LoadReport => ({
  contract_version: contractVersion,
  ...parts,
});

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** The result in a few words. */
export function verdictOf({ findings, thresholds, answers }: LoadReport): string {
  const faults = findings.filter(({ verdict }) => verdict === "fail").length;
  const missed = thresholds.filter(({ kept }) => !kept).length;
  const wrong = [
    ...(faults > 0 ? [counted(faults, "fault")] : []),
    ...(missed > 0 ? [`${counted(missed, "condition")} not met`] : []),
  ];
  if (wrong.length > 0) return wrong.join(", ");
  return answers === 0 ? "nothing was answered" : "nothing failed";
}

/** 0: nothing failed; 1: the server failed an obligation, or a threshold was missed. */
export const loadStatus = ({ findings, thresholds }: LoadReport): number =>
  findings.some(({ verdict }) => verdict === "fail") || thresholds.some(({ kept }) => !kept) ? 1 : 0;
