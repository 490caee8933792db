import { plain } from "../../cli/plain.ts";
import type { Change, DriftReport } from "./change.ts";
import { messageOf } from "./report-sarif.ts";
import { placeText, summaryOf } from "./report-text.ts";

/** The report as JUnit: a test for each change, failed where it fails the build. */
export function junitReport(report: DriftReport, fails: (change: Change) => boolean): string {
  const cases = report.changes.map((change) => {
    const place = change.at ?? change.was_at;
    const name = `${change.kind}: ${change.where}`;
    const message = place === null ? messageOf(change) : `${messageOf(change)} ${placeText(place)}`;
    const inner = fails(change)
      ? `<failure type="${change.class}" message="${xml(message)}"/>`
      : change.ignored === null
        ? `<system-out>${xml(`${change.class}: ${message}`)}</system-out>`
        : `<skipped message="${xml(change.ignored.reason)}"/>`;
    return `    <testcase classname="drift.${change.class}" name="${xml(name)}">${inner}</testcase>`;
  });
  if (cases.length === 0) cases.push(`    <testcase classname="drift" name="no change"/>`);
  const failures = report.changes.filter(fails).length;
  const counts = `tests="${cases.length}" failures="${failures}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(summaryOf(report))}" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>\n",
  ].join("\n");
}

const xml = (text: string): string =>
  plain(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
