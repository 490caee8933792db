import type { Report } from "./report.ts";
import { WrongUse } from "../../cli/exit.ts";
import type { Finding } from "../judge/finding.ts";

const listedReason = "listed as a known failure";

/**
 * Applies the implementer's list of known failures, in place: a listed failure becomes `not_applicable`, and a listed
 * check that passes becomes a failure, so that the list can only shrink.
 * @throws WrongUse for a name that is neither a check nor a clause of the run
 */
export function judgedByList(findings: Finding[], known: readonly string[]): void {
  for (const name of known) {
    const listed = findings.filter((finding) => finding.id === name || finding.clauses.includes(name));
    if (listed.length === 0)
      throw new WrongUse(`known_failures: ${name} is neither a check nor a clause of this run`);
    const failing = listed.filter((finding) => finding.verdict === "fail" || finding.verdict === "warn");
    for (const finding of failing) {
      finding.verdict = "not_applicable";
      finding.reason = `${listedReason}: ${finding.reason}`;
    }
    if (failing.length > 0 || listed.some((finding) => finding.reason?.startsWith(listedReason))) continue;
    for (const finding of listed.filter((one) => one.verdict === "pass")) {
      finding.verdict = "fail";
      finding.reason = `${name} is listed under known_failures and passes; take it off the list`;
    }
  }
}

/** Whether a finding fails as the profile's list says. */
export const isKnownFailure = ({ reason }: Pick<Finding, "reason">): boolean =>
  reason?.startsWith(listedReason) ?? false;

/**
 * Whether checks are blocked without a red finding or a request without an answer to explain it. Any answer that blocks
 * a check violates some clause, so if the whole suite ran and nothing is red, the suite lacks a check.
 */
export const isUnexplained = ({ summary, checks }: Pick<Report, "summary" | "checks">): boolean =>
  summary.blocked > 0 &&
  summary.fail + summary.warn === 0 &&
  !checks.some(
    ({ reason, culprit, exchanges }) =>
      reason?.startsWith(listedReason) || (culprit !== null && exchanges[culprit]?.status === null),
  );

/**
 * The exit status: 0 nothing failed; 1 the server failed; 3 it went away; 4 the suite failed. In strict mode, warnings and unverified
 * checks are failures.
 * @param whole whether every check and rule was run
 */
export function exitStatus(report: Report, strict: boolean, whole = false): number {
  const { summary, gone } = report;
  if (gone !== undefined) return 3;
  if (summary.error > 0 || (whole && isUnexplained(report))) return 4;
  if (summary.fail + summary.blocked > 0) return 1;
  return strict && summary.warn + summary.unverified > 0 ? 1 : 0;
}
