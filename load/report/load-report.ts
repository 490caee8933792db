import { contractVersion } from "../../conformance/rules/general.ts";
import type { Second, StepFigures } from "../figures.ts";
import type { Finding } from "../judgement.ts";
import type { Outcome } from "../outcome.ts";
import type { HeldThreshold } from "../thresholds.ts";

/** What a load says, as `load.json` holds it. Times in milliseconds, moments in epoch milliseconds. */
export interface LoadReport {
  contract_version: string;
  scenario: string;
  target: string;
  started_at: string;
  duration_ms: number;
  /** Exchanges held against the rules. */
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
  memory: NonNullable<Outcome["memory"]> | null;
}

export const reportOf = (parts: Omit<LoadReport, "contract_version">): LoadReport => ({
  contract_version: contractVersion,
  ...parts,
});

/** 0 nothing failed; 1 the server failed an obligation, or a threshold was not kept. */
export const loadStatus = ({ findings, thresholds }: LoadReport): number =>
  findings.some(({ verdict }) => verdict === "fail") || thresholds.some(({ kept }) => !kept) ? 1 : 0;
