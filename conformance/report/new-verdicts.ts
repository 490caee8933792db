import type { Verdict } from "../judge/verdict.ts";

/** Verdicts on an unchanged server that a release of the suite gives and the one before it did not. */
interface NewVerdicts {
  since: string;
  /** Clauses, which stand for the checks and rules named after them, or ids of checks and rules. */
  ids: readonly string[];
  verdicts: readonly Verdict[];
  /** What is judged now, after the word "since 0.2.0". */
  reason: string;
}

/**
 * Checks and rules that an earlier release has too, and that judge more than it did. The changelog lists them under
 * Verdicts; with `--requirements` of an earlier release they are shown as new and fail nothing.
 */
export const newVerdicts: readonly NewVerdicts[] = [
  {
    since: "0.2.0",
    ids: ["LIMI-01", "LIMI-02", "LIMI-03", "LIMI-04", "LIMI-05", "LIMI-13", "LIMI-14", "LIMI-15"],
    verdicts: ["fail", "warn"],
    reason: "quotas and windows are judged by the times of all answers",
  },
  {
    since: "0.2.0",
    ids: ["VERS-06", "HTTP-02"],
    verdicts: ["fail"],
    reason: "pages of a gateway with 502, 503 or 504 are judged",
  },
];
