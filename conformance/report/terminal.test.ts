import { describe, expect, it } from "vitest";
import { sampleCause, sampleCheck, sampleExchange, sampleReport } from "./sample-report.fixture.ts";
import type { Paint } from "../../base/paint.ts";
import { terminalReport } from "./terminal.ts";
import { traceOf } from "./trace.ts";

const bare: Paint = (_style, text) => text;
const failure = {
  verdict: "fail",
  reason: "expected 0, received 1",
  expected: "0",
  received: "1",
  culprit: 0,
} as const;

describe("the terminal's report", () => {
  it("shows in full the failure that shows a cause best, and in a line the others that failed for it", () => {
    const checks = [
      sampleCheck({ ...failure, id: "CALL-01/one", title: "one" }),
      sampleCheck({ ...failure, id: "CALL-01/it's", clauses: ["CALL-01", "BILL-02"], title: "other" }),
    ];
    const text = terminalReport(sampleReport(checks), bare);
    expect(text.match(/^CALL-01 must: `execution_id` of an executed Call/gm)).toHaveLength(1);
    expect(text).toContain(
      "    expected  0\n    received  1\n    answered  200\n    repeat    curl -i -X POST",
    );
    expect(text).toContain("--base-url https://api.example.test/api/v1 --replay CALL-01/one");
    expect(text).toContain("    also      CALL-01/it's: expected 0, received 1");
  });

  it("repeats a check with the profile that it was judged by", () => {
    const report = { ...sampleReport([sampleCheck({ ...failure })]), again: "--profile 'my profile.yaml'" };
    expect(terminalReport(report, bare)).toContain(
      "npm run conformance -- --profile 'my profile.yaml' --replay CALL-01/sample",
    );
  });

  it("says what to put in place of a masked secret in a curl line", () => {
    const curl = `curl --data-raw '{"claim_code":"«claim code 1»"}'`;
    const checks = [sampleCheck({ ...failure, exchanges: [sampleExchange({ curl })] })];
    expect(terminalReport(sampleReport(checks), bare)).toMatch(/repeat +curl.*\n +«…» stands for a secret/);
  });

  it("shows the Call before a disappointing read", () => {
    const exchanges = ["POST https://a.test/tools/execute?tool_id=t", "POST https://a.test/tools/by-ids"]
      .concat("GET https://a.test/auth/usage/history/v2")
      .map((line) => {
        const [method = "", url = ""] = line.split(" ");
        return sampleExchange({ method, url, curl: `curl ${url}` });
      });
    const text = terminalReport(sampleReport([sampleCheck({ ...failure, culprit: 2, exchanges })]), bare);
    expect(text).toContain(
      "    after     curl https://a.test/tools/execute?tool_id=t\n    repeat    curl https://a.test/auth/usage",
    );
  });

  it("does not let a server steer the terminal", () => {
    const attack = "\u001b[2J\u001b]0;owned\u0007\r\u202e";
    const text = terminalReport(
      sampleReport([
        sampleCheck({ ...failure, expected: attack, received: attack }),
        sampleCheck({ verdict: "error", reason: attack }),
        sampleCheck({ verdict: "unverified", reason: attack }),
      ]),
      bare,
    );
    // eslint-disable-next-line no-control-regex -- none of them may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("received  \\u001b[2J");
  });

  it("shows unverified checks with the profile line that would verify them, once for all of them", () => {
    const missing = {
      verdict: "unverified",
      reason: "no such tool",
      remedy: "tools: {timeout: ID}",
    } as const;
    const checks = ["CALL-01", "CALL-02"].map((id) => sampleCheck({ ...missing, clauses: [id] }));
    const text = terminalReport(sampleReport(checks), bare);
    expect(text).toMatch(/^ {2}profile {3}tools: \{timeout: ID\} {5,}CALL-01 CALL-02$/m);
  });

  it("lists operations that are not served as one part of a profile, where the first of them is", () => {
    const checks = ["USAG-01/list", "CALL-01/sample", "UEXP-01/export"].map((id) =>
      sampleCheck({ ...failure, id }),
    );
    const operations = ["listUsage", undefined, "exportUsage"];
    const causes = checks.map((check, index) => sampleCause(check, operations[index]));
    const text = terminalReport({ ...sampleReport(checks), causes }, bare);
    expect(text).toContain(
      [
        "✗ 2 operations are not served; if that is intended for now, the profile says so:",
        "    features:",
        "      listUsage: {off: not implemented yet}    # listUsage is not implemented (404)",
        "      exportUsage: {off: not implemented yet}  # exportUsage is not implemented (404)",
        "",
        "✗ sample",
        "CALL-01 must",
      ].join("\n"),
    );
  });

  it("knows a clause only from the report, since it may belong to another version of the contract", () => {
    const report = sampleReport([sampleCheck({ ...failure, clauses: ["GONE-01"] })], { clauses: [] });
    expect(terminalReport(report, bare)).toContain("GONE-01\n  ✗ an executed Call");
  });

  it("counts", () => {
    const text = terminalReport(
      sampleReport([sampleCheck(), sampleCheck({ ...failure, clauses: ["BILL-02"] })]),
      bare,
    );
    expect(text).toMatch(
      /✓ {4}1 passed\n {2}✗ {4}1 failed\n {7}1 of \d{3} clauses shown to be kept\n {9}68 of 69 statuses/,
    );
  });
});

describe("the trace of one check", () => {
  it("does not let a server steer the terminal either", () => {
    const response = { headers: { "x-\u001b[2J": "\u001b[31m" }, body: "\u001b[2J\nsecond line" };
    const text = traceOf(sampleCheck({ exchanges: [sampleExchange({ response })] }), bare);
    expect(text).not.toContain("\u001b");
    expect(text).toContain("  x-\\u001b[2J: \\u001b[31m\n\n  \\u001b[2J\n  second line");
  });
});
