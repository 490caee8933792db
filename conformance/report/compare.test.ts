import { expect, test } from "vitest";
import { causeOf, compareReports, comparisonHtml, comparisonText, gotWorse } from "./compare.ts";
import { sampleRun } from "./sample-report.fixture.ts";
import type { Report } from "./report.ts";

const sampleReport = sampleRun();
const [first, second, third] = sampleReport.checks;

/** The sample with some verdicts replaced or checks removed. */
const changed = (verdicts: Record<string, string | null>, suite = sampleReport.hashes.suite): Report => ({
  ...sampleReport,
  hashes: { ...sampleReport.hashes, suite },
  checks: sampleReport.checks
    .filter(({ id }) => verdicts[id] !== null)
    .map((check) => ({ ...check, verdict: (verdicts[check.id] ?? check.verdict) as typeof check.verdict })),
});

test("tells what turned red, green and unverified, and what is gone", () => {
  const before = changed({ [first!.id]: "pass", [second!.id]: "fail", [third!.id]: "pass" });
  const after = changed({ [first!.id]: "fail", [second!.id]: "pass", [third!.id]: null });
  const changes = new Map(compareReports([before, after]).map(({ id, change }) => [id, change]));
  expect(changes.get(first!.id)).toBe("red");
  expect(changes.get(second!.id)).toBe("green");
  expect(changes.get(third!.id)).toBe("removed");
  expect(gotWorse(compareReports([before, after]))).toBe(true);
  expect(gotWorse(compareReports([before, before]))).toBe(false);
});

test("a change is the server's alone where the suite and the profile are the same", () => {
  expect(causeOf([sampleReport, changed({})])).toBe("the server");
  expect(causeOf([sampleReport, changed({}, "another")])).toBe("the suite or the server");
});

test("shows each report as a column, and Markdown with a heading for each kind of change", () => {
  const reports = [changed({ [first!.id]: "pass" }), changed({ [first!.id]: "fail" })];
  const compared = compareReports(reports);
  expect(comparisonHtml(["one.json", "other.json"], compared)).toContain("<th>other.json</th>");
  expect(comparisonText(reports, ["one", "other"], compared, true)).toContain(
    "## Turned red: 1, by the server",
  );
});
