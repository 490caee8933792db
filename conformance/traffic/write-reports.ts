import { jsonText } from "../../base/described.ts";
import { writeFiles } from "../../base/write.ts";
import { htmlReport } from "../report/html.ts";
import { judgedNothing } from "../report/judged.ts";
import type { Report } from "../report/report.ts";
import type { Counts } from "./traffic-judge.ts";

/** Writes a report where the flags say, and prints where. */
export const writeReports = (
  report: Report,
  { json, html }: { json?: string | undefined; html?: string | undefined },
): Promise<void> =>
  writeFiles([
    [json, () => jsonText("report", report)],
    [html, () => htmlReport(report)],
  ]);

/** A remark where no request was answered, which is not a success. */
export const unanswered = ({ answered }: Counts): string[] =>
  answered === 0 ? ["No request was answered, which is not a success."] : [];

/**
 * The exit status for a report of traffic. Unverified rules are not failures, even in strict mode, but a report in which
 * nothing was judged or answered is not a success: then it is that of a server that was not seen.
 */
export function statusOf(report: Report, counts: Counts, strict: boolean): number {
  const { summary } = report;
  if (summary.error > 0) return 4;
  if (summary.fail > 0 || (strict && summary.warn > 0)) return 1;
  return judgedNothing(report) || counts.answered === 0 ? 3 : 0;
}
