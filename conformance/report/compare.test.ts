import { expect, test } from "vitest";
import { causeOf, comparedLine, compareReports, comparisonText, gotWorse, judgedInBoth } from "./compare.ts";
import { historyPage } from "./history-page.ts";
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

test("reports what started failing, started passing and became unverified, and what is gone", () => {
  const before = changed({ [first!.id]: "pass", [second!.id]: "fail", [third!.id]: "pass" }, "earlier");
  const after = changed({ [first!.id]: "fail", [second!.id]: "pass", [third!.id]: null });
  const changes = new Map(compareReports([before, after]).map(({ id, change }) => [id, change]));
  expect(changes.get(first!.id)).toBe("red");
  expect(changes.get(second!.id)).toBe("green");
  expect(changes.get(third!.id)).toBe("removed");
  expect(gotWorse(compareReports([before, after]))).toBe(true);
  expect(gotWorse(compareReports([before, before]))).toBe(false);
});

test("what a part of the suite leaves out was not asked for, and is no worse", () => {
  const part = { ...changed({ [third!.id]: null }), part: "--only DISC" };
  const compared = compareReports([sampleReport, part]);
  expect(compared.find(({ id }) => id === third!.id)!.change).toBe("unasked");
  expect(gotWorse(compared)).toBe(false);
  expect(comparisonText([sampleReport, part], ["all", "part"], compared, false)).toContain(
    "1 not asked for in the last run (--only DISC).",
  );
  const later = { ...part, hashes: { ...part.hashes, suite: "later" } };
  expect(gotWorse(compareReports([sampleReport, later]))).toBe(false);
  expect(gotWorse(compareReports([sampleReport, { ...later, part: undefined } as unknown as Report]))).toBe(
    true,
  );
});

test("what another suite adds to the same part of it is added", () => {
  const before = { ...changed({ [second!.id]: null, [third!.id]: null }, "earlier"), part: "--only DISC" };
  const after = { ...changed({ [third!.id]: null }), part: "--only DISC" };
  const compared = compareReports([before, after]);
  expect(compared.find(({ id }) => id === second!.id)!.change).toBe("added");
});

test("the last line counts what both runs have judged, and names what the others lack", () => {
  const lineOf = (...reports: Report[]): string => comparedLine(reports, compareReports(reports));
  const of = (verdicts: Record<string, string | null>): Report => {
    const report = changed(verdicts);
    return { ...report, checks: report.checks.filter(({ id }) => id in verdicts) };
  };
  const [one, other] = [first!.id, second!.id];
  expect(
    lineOf(of({ [one]: "pass", [other]: "pass" }), of({ [one]: "fail", [other]: "unverified" })),
  ).toMatch(/^Judged 1 of 2 checks: 2 worse, 0 better, 0 as before; 1 not judged, /);
  expect(lineOf(of({ [one]: "pass" }), of({ [one]: "pass", [other]: "pass" }))).toBe(
    "Judged 1 of 2 checks: 0 worse, 0 better, 1 as before; 1 not judged, 1 of them because the first run did not judge them.",
  );
  for (const verdict of ["unverified", "blocked"]) {
    const nothing = [of({ [one]: verdict }), of({ [one]: verdict })];
    expect(judgedInBoth(nothing, compareReports(nothing)).judged).toBe(0);
    expect(lineOf(...nothing)).toMatch(/^Unverified: nothing was judged; 1 not judged/);
  }
});

test("a check is flaky at the changing addresses of a preview deployment, too", () => {
  const at = (target: string, verdict: string): Report => ({ ...changed({ [first!.id]: verdict }), target });
  const compared = compareReports([
    at("https://a.test", "pass"),
    at("https://b.test", "fail"),
    at("https://c.test", "pass"),
  ]);
  expect(compared.filter(({ isUnsteady }) => isUnsteady).map(({ id }) => id)).toEqual([first!.id]);
});

const later = (report: Report): Report => ({ ...report, started_at: "2026-11-21T09:30:00.000Z" });

test("a change is the server's where the suite and the profile are the same", () => {
  expect(causeOf([sampleReport, later(changed({}))])).toBe("the server");
  expect(causeOf([sampleReport, later(changed({}, "another"))])).toBe("the suite or the server");
});

test("a change of verdicts on the same traffic is the suite's", () => {
  expect(causeOf([sampleReport, changed({}, "another")])).toBe("the suite");
});

test("of several reports, names the flaky checks", () => {
  const run = (verdict: string | null, day: number, suite?: string): Report => ({
    ...changed({ [first!.id]: verdict, [second!.id]: day < 3 ? "pass" : "fail" }, suite),
    started_at: `2026-11-2${day}T09:30:00.000Z`,
  });
  const unsteady = (...reports: Report[]): string[] =>
    compareReports(reports)
      .filter(({ isUnsteady }) => isUnsteady)
      .map(({ id }) => id);
  expect(unsteady(run("pass", 1), run("fail", 2), run("pass", 3))).toEqual([first!.id]);
  expect(unsteady(run("pass", 1), run("pass", 2), run("fail", 3), run("fail", 4))).toEqual([]);
  expect(unsteady(run("pass", 1), run(null, 2), run("pass", 3))).toEqual([]);
  // Another suite judged in between: its verdict is not a change of the server.
  expect(unsteady(run("pass", 1), run("fail", 2, "another"), run("pass", 3))).toEqual([]);

  const reports = [run("pass", 1), run("fail", 2), run("pass", 3)];
  const names = ["one.json", "two.json", "three.json"];
  const compared = compareReports(reports);
  expect(comparisonText(reports, names, compared, true)).toContain("## Flaky: 1,");
  const page = historyPage(reports, names, compared);
  expect(page).toContain("3 runs, 2 differences");
  const byCheck = page.slice(page.indexOf('<section id="flaky"'));
  expect(byCheck.match(/aria-label="run \d: (pass|fail)"/g)).toHaveLength(6);
  expect(page).toContain("History by clause");
});

test("shows each report, and Markdown with a heading for each kind of change", () => {
  const reports = [changed({ [first!.id]: "pass" }), later(changed({ [first!.id]: "fail" }))];
  const compared = compareReports(reports);
  expect(historyPage(reports, ["one.json", "other.json"], compared)).toContain("other.json");
  expect(comparisonText(reports, ["one", "other"], compared, true)).toContain(
    "## Started failing: 1, by the server",
  );
});
