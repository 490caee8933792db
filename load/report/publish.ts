import { jsonText } from "../../base/described.ts";
import { writeFiles } from "../../base/write.ts";
import { paintFor } from "../../base/paint.ts";
import type { LoadReport } from "./load-report.ts";

/** Prints a report, and writes it where the flags say. */
export async function publish(
  report: LoadReport,
  { json, html, junit }: { json?: string; html?: string; junit?: string },
): Promise<void> {
  const { terminalReport } = await import("./terminal.ts");
  console.log(terminalReport(report, paintFor(process.stdout)));
  const [{ htmlReport }, { junitReport }] = await Promise.all([import("./html.ts"), import("./junit.ts")]);
  await writeFiles([
    [json, () => jsonText("load", report)],
    [html, () => htmlReport(report)],
    [junit, () => junitReport(report)],
  ]);
}
