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

/** The exit status for a report of traffic. Unverified rules are not failures, even in strict mode. */
export function statusOf({ summary }: Report, strict: boolean): number {
  if (summary.error > 0) return 4;
  return summary.fail > 0 || (strict && summary.warn > 0) ? 1 : 0;
}
