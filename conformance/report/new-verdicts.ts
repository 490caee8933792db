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
  {
    since: "0.2.0",
    ids: ["TRIA-12", "TRIA-18"],
    verdicts: ["fail"],
    reason: "a claim that does not start fails where the profile names a mailbox",
  },
  {
    since: "0.2.0",
    ids: [
      ...["TRIA-07", "TRIA-15", "TRIA-16", "TRIA-17", "TRIA-19", "TRIA-21", "TRIA-22", "TRIA-23", "TRIA-26"],
      ...["TRIA-27", "TRIA-28"],
    ],
    verdicts: ["blocked"],
    reason: "a claim that does not start blocks what needs it where the profile names a mailbox",
  },
  {
    since: "0.2.0",
    ids: ["TRIA-17"],
    verdicts: ["fail"],
    reason: "the address of a formal account is tried with its domain in capitals, too",
  },
  {
    since: "0.2.0",
    ids: ["DISC-18", "DISC-19"],
    verdicts: ["warn"],
    reason: "a server that shows no history of a tool, or no examples, is warned of",
  },
  {
    since: "0.2.0",
    ids: ["USUM-10", "LSUM-09"],
    verdicts: ["unverified"],
    reason: "the cap of a summary's samples passes only where an account has more",
  },
  {
    since: "0.2.0",
    ids: ["ERRO-19"],
    verdicts: ["unverified"],
    reason: "a default passes only where another value is answered differently",
  },
  {
    since: "0.2.0",
    ids: ["ACCT-09"],
    verdicts: ["unverified"],
    reason: "credits spent pass only where there are several charge outcomes",
  },
  {
    since: "0.2.0",
    ids: [
      ...["ACCT-02", "ACCT-06", "USUM-05", "USUM-06", "USUM-07", "USUM-08", "USUM-09", "USUM-21", "LSUM-03"],
      ...["LSUM-04", "LSUM-05", "LSUM-06", "LSUM-07", "LSUM-17", "CALL-07", "BILL-10"],
    ],
    verdicts: ["unverified"],
    reason: "a figure or a filter passes only where rows show that it is no other",
  },
  {
    since: "0.2.0",
    ids: ["RSLT-22"],
    verdicts: ["fail"],
    reason: "expressions that descend, slice or take every member may not be refused",
  },
  {
    since: "0.2.0",
    ids: ["USAG-25", "USUM-02", "USUM-18", "LSUM-14"],
    verdicts: ["fail", "warn"],
    reason: "a time that names no zone is judged, as that of any zone",
  },
  {
    since: "0.2.0",
    ids: ["USAG-57", "USUM-11", "LSUM-08", "CAPA-03"],
    verdicts: ["fail", "warn"],
    reason:
      "a charged event without a billable success, samples that show nothing of their rows, and a version that no two details share are judged",
  },
];
