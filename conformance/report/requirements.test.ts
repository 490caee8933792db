import { describe, expect, it } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import { suiteReleases } from "../../base/pinned.ts";
import type { Finding, Run } from "../judge/finding.ts";
import { defaultProfile } from "../server/profile.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { asideWords } from "./known.ts";
import { exitStatus } from "./exit.ts";
import { newVerdicts } from "./new-verdicts.ts";
import { reportOf } from "./report.ts";
import { requirementsOf, setAsideNewer } from "./requirements.ts";
import { bareFinding as finding } from "./bare-finding.fixture.ts";
import { paintFor } from "../../base/paint.ts";
import { terminalReport } from "./terminal.ts";

const known = "CALL-02/execution-ids-are-unique";
const newer = "TRIA-25/a-claim-that-is-verified-again-brings-no-credits";

const runOf = (...findings: Finding[]): Run => ({
  findings,
  exchanges: [],
  broken: new Map(),
  choices: [],
  started_at: 0,
  duration_ms: 1,
  version_note: null,
  waited_ms: 0,
  gone: null,
  interrupted: false,
  sent: { requests: 0, credits: 0 },
});

describe("the requirements of a release", () => {
  it("set aside what the release does not have, and nothing else", () => {
    const [old] = checks.filter(({ id }) => requirementsOf("0.1.0").whyNew({ id, verdict: "fail" }) === null);
    const run = runOf(finding(old!.id, "fail"), finding(newer, "fail"), finding(newer, "pass"));
    setAsideNewer(run, requirementsOf("0.1.0"));
    expect(
      run.findings.map((finding) => [finding.verdict, finding.known ? asideWords(finding) : finding.reason]),
    ).toEqual([
      ["fail", "expected 0"],
      ["not_applicable", "new since 0.1.0 (a check that the release does not have): expected 0"],
      ["pass", null],
    ]);
  });

  it("let a run pass, also strictly, and the report says which they are", () => {
    const run = runOf(finding(known, "pass"), finding(newer, "unverified"));
    const report = () => ({
      ...reportOf(run, defaultProfile("http://a.test/api/v1")),
      requirements: "0.1.0",
    });
    expect(exitStatus(report(), true)).toBe(1);
    setAsideNewer(run, requirementsOf("0.1.0"));
    expect(exitStatus(report(), true)).toBe(0);
    const text = terminalReport(report(), paintFor(process.stdout));
    expect(text).toContain("judged by the requirements of 0.1.0");
    expect(text).toContain(`– 1 new since 0.1.0, which fail nothing\n  ${newer}`);
    expect(text).toMatch(/– +1 new since 0\.1\.0/);
  });

  it("excuse a verdict that the release did not give, with the reason, and no other of the check", () => {
    const { whyNew } = requirementsOf("0.1.0");
    const { ids, verdicts, reason } = newVerdicts[0]!;
    const { id } =
      rules.find((rule) => rule.id.startsWith(`${ids[0]}/`)) ??
      checks.find((check) => check.id.startsWith(`${ids[0]}/`))!;
    expect(whyNew({ id, verdict: verdicts[0]! })).toBe(`since 0.2.0 ${reason}`);
    expect(whyNew({ id, verdict: "blocked" })).toBeNull();
  });

  it("do not excuse an internal error, or a promise of the profile", () => {
    const run = runOf(finding(newer, "error"), finding("R-012/pinned", "fail"));
    setAsideNewer(run, requirementsOf("0.1.0"));
    expect(run.findings.map(({ verdict }) => verdict)).toEqual(["error", "fail"]);
  });

  it("are those of a release that is pinned", () => {
    expect(suiteReleases()).toContain("0.1.0");
    expect(() => requirementsOf("0.0.9")).toThrow(WrongUse);
    expect(() => requirementsOf("0.0.9")).toThrow(
      /requirements 0\.0\.9 are unknown; known are those of 0\.1\.0/,
    );
  });
});

it("each new verdict names checks or rules of the suite", () => {
  const ids = [...checks, ...rules].map(({ id }) => id);
  for (const row of newVerdicts)
    for (const named of row.ids)
      expect(
        ids.some((id) => id === named || id.startsWith(`${named}/`)),
        named,
      ).toBe(true);
});
