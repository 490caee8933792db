import { expect, it } from "vitest";
import { judge } from "../../conformance/run/library.ts";
import { isNew } from "../../conformance/report/known.ts";
import { compareReports } from "../../conformance/report/compare.ts";
import { judgeAgain } from "../../conformance/report/judge-again.ts";
import { requirementsOf } from "../../conformance/report/requirements.ts";
import { rules } from "../../conformance/suite/rules.ts";
import { lastRelease, recordingOf, withRelease, withServerOf } from "./last-release.ts";

/** Nothing that a release had passed may fail, be blocked or be a matter of the suite. */
it("an unchanged server of the last release passes today's suite by the requirements of that release", async () => {
  const requirements = lastRelease();
  const report = await withRelease(requirements, (folder) =>
    withServerOf(folder, (profile) => judge({ ...profile, requirements })),
  );
  const wrong = report.checks.filter(({ verdict }) => ["fail", "warn", "blocked", "error"].includes(verdict));
  expect(wrong.map(({ id, verdict, expected, received }) => ({ id, verdict, expected, received }))).toEqual(
    [],
  );
  expect(report.summary.pass).toBeGreaterThan(800);
  const newer = report.checks.filter(isNew);
  console.log(
    `new since ${requirements}: ${newer.map(({ id, reason }) => `\n  ${id}: ${reason}`).join("") || "nothing"}`,
  );
});

it("one recording, judged by two releases, gets worse nowhere but where the requirements say so", async () => {
  const before = await withRelease(lastRelease(), recordingOf);
  const compared = compareReports([before, judgeAgain(before, rules)]);
  const worse = compared.filter(({ change }) => ["red", "removed", "unverified"].includes(change));
  const { whyNew } = requirementsOf(lastRelease());
  expect(worse.filter(({ id, verdicts }) => whyNew({ id, verdict: verdicts.at(-1)! }) === null)).toEqual([]);
  expect(compared.length).toBeGreaterThan(800);
});
