import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { htmlReport } from "../report/html.ts";
import type { Report } from "../report/report.ts";

/** Writes a report wherever the flags want it, and says so. */
export async function writeReports(
  report: Report,
  { json, html }: { json?: string | undefined; html?: string | undefined },
): Promise<void> {
  const files: [string | undefined, () => string][] = [
    [json, () => `${JSON.stringify(report, null, 2)}\n`],
    [html, () => htmlReport(report)],
  ];
  for (const [file, content] of files) {
    if (file === undefined) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content());
    console.log(`  written ${file}`);
  }
}

/** The exit status that a report of traffic stands for. What it could not show is no failure, however strict. */
export function statusOf({ summary }: Report, strict: boolean): number {
  if (summary.error > 0) return 4;
  return summary.fail > 0 || (strict && summary.warn > 0) ? 1 : 0;
}
