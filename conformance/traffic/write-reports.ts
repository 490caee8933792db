import { jsonText } from "../../cli/described.ts";
import { writeFiles } from "../../cli/write.ts";
import { htmlReport } from "../report/html.ts";
import type { Report } from "../report/report.ts";

/** Writes a report where the flags say, and prints where. */
export const writeReports = (
  report: Report,
  { json, html }: { json?: string | undefined; html?: string | undefined },
): Promise<void> =>
  writeFiles([
    [json, () => jsonText("report", report)],
    [html, () => htmlReport(report)],
  ]);

/** Whether no rule met an exchange by which it could be judged. */
export const isEmpty = ({ summary }: Report): boolean =>
  summary.pass + summary.fail + summary.warn + summary.error === 0;

/**
 * The exit status for a report of traffic. Unverified rules are not failures, even in strict mode, but a report in which
 * nothing was judged is no success: then it is that of a server that was not seen.
 */
export function statusOf(report: Report, strict: boolean): number {
  const { summary } = report;
  if (summary.error > 0) return 4;
  if (isEmpty(report)) return 3;
  return summary.fail > 0 || (strict && summary.warn > 0) ? 1 : 0;
}
