import { writeFiles } from "../../cli/write.ts";
import { htmlReport } from "../report/html.ts";
import type { Report } from "../report/report.ts";

/** Writes a report wherever the flags want it, and says so. */
export const writeReports = (
  report: Report,
  { json, html }: { json?: string | undefined; html?: string | undefined },
): Promise<void> =>
  writeFiles([
    [json, () => `${JSON.stringify(report, null, 2)}\n`],
    [html, () => htmlReport(report)],
  ]);

/** The exit status that a report of traffic stands for. What it could not show is no failure, however strict. */
export function statusOf({ summary }: Report, strict: boolean): number {
  if (summary.error > 0) return 4;
  return summary.fail > 0 || (strict && summary.warn > 0) ? 1 : 0;
}
