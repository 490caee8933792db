import type { Report } from "./report.ts";
import { judgedNothing } from "./judged.ts";
import { isSetAside } from "./known.ts";

/** Whether checks are blocked without a failure or a request without an answer to explain it. */
export const isUnexplained = ({ summary, checks }: Pick<Report, "summary" | "checks">): boolean =>
  summary.blocked > 0 &&
  summary.fail + summary.warn === 0 &&
  !checks.some(
    (check) =>
      isSetAside(check) || (check.culprit !== null && check.exchanges[check.culprit]?.status === null),
  );

/**
 * The exit status: 0 nothing failed; 1 the server failed, or no longer shows what it showed
 * at the base; 3 it went away, or nothing was judged; 4 the suite failed. In
 * strict mode, warnings and unverified checks are failures.
 */
export function exitStatus(report: Report, strict: boolean): number {
  const { summary, gone, base } = report;
  if (gone !== undefined) return 3;
  if (summary.error > 0) return 4;
  if (summary.fail + summary.blocked + (base?.unverified?.length ?? 0) > 0) return 1;
  if (judgedNothing(report)) return 3;
  return strict && summary.warn + summary.unverified > 0 ? 1 : 0;
}
