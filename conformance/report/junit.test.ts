import { describe, expect, it } from "vitest";
import { junitReport } from "./junit.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";

describe("the JUnit report", () => {
  it("counts each verdict in the terms of CI systems, and never an unverified check as passed", () => {
    const verdicts = ["pass", "fail", "warn", "unverified", "blocked", "not_applicable", "error"] as const;
    const report = junitReport(
      sampleReport(verdicts.map((verdict) => sampleCheck({ verdict, reason: "why" }))),
    );
    const totals = 'tests="7" failures="2" errors="1" skipped="2"';
    expect(report).toContain(`<testsuites name="https://api.example.test/api/v1" ${totals} time="64.210">`);
    expect(report).toContain(
      `<testsuite name="CALL" ${totals} time="0.217" timestamp="2026-11-20T09:30:00.000Z">`,
    );
    expect(report.match(/<skipped message="why"\/>/g)).toHaveLength(2);
    expect(report.match(/<failure /g)).toHaveLength(2);
    expect(report.match(/<error /g)).toHaveLength(1);
  });

  it("makes each area a suite", () => {
    const checks = [sampleCheck({ clauses: ["CALL-01"] }), sampleCheck({ clauses: ["BILL-02", "CALL-03"] })];
    expect(junitReport(sampleReport(checks)).match(/<testsuite name="\w+" tests="\d"/g)).toEqual([
      '<testsuite name="CALL" tests="1"',
      '<testsuite name="BILL" tests="1"',
    ]);
  });

  it("gives a failure its clauses, what was expected and received, and the curl line", () => {
    const check = sampleCheck({
      verdict: "fail",
      reason: "expected <200>\nreceived 500",
      expected: "<200>",
      received: "500",
      culprit: 0,
    });
    const report = junitReport(sampleReport([check]));
    expect(report).toContain('message="expected &#60;200&#62;&#10;received 500"');
    expect(report).toContain("CALL-01&#10;expected &#60;200&#62;&#10;received 500&#10;curl -i -X POST");
  });

  it("names for a failure the one that shows its cause best", () => {
    const checks = ["CALL-01/a", "CALL-02/b"].map((id) =>
      sampleCheck({ id, verdict: "fail", expected: "200", received: "500" }),
    );
    const cause = { what: "POST /x answers 500 to everything", verdict: "fail", lead: "CALL-01/a" } as const;
    const causes = [{ ...cause, clauses: [], places: [], checks: ["CALL-01/a", "CALL-02/b"], blocks: [] }];
    const shared = junitReport({ ...sampleReport(checks), causes }).match(/one cause with .*?everything/g);
    expect(shared).toEqual(["one cause with CALL-01/a: POST /x answers 500 to everything"]);
  });

  it("replaces characters that XML cannot contain", () => {
    const report = junitReport(sampleReport([sampleCheck({ title: "a\u0000b\u001bc\ud800" })]));
    expect(report).toContain("a\ufffdb\ufffdc\ufffd");
  });
});
