import { describe, expect, it } from "vitest";
import { githubAnnotations } from "./github.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";

const annotations = (...checks: Parameters<typeof sampleCheck>[0][]): string[] =>
  githubAnnotations(sampleReport(checks.map((check) => sampleCheck(check))));

describe("the annotations for GitHub", () => {
  it("are an error for what failed, a warning for what warned, and nothing for what passed", () => {
    const lines = annotations(
      {},
      { verdict: "fail", expected: "0", received: "1", culprit: 0, clauses: ["CALL-01", "BILL-02"] },
      { verdict: "warn", expected: "a", received: "b" },
      { verdict: "blocked", reason: "no account" },
      { verdict: "error", reason: "a slip" },
      { verdict: "not_applicable", reason: "off" },
    );
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^::error title=CALL-01 BILL-02 failed::an executed Call names its execution%0Aexpected 0%0Areceived 1%0Acurl -i/,
    );
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["::error", "::error", "::error", "::warning"]);
    expect(lines[1]).toContain("no account");
  });

  it("are one notice for all that is unverified, with the profile lines that would verify it", () => {
    const remedy = "credentials: {revoked: KEY}";
    const lines = annotations(
      { verdict: "unverified", remedy },
      { verdict: "unverified", remedy },
      { verdict: "unverified" },
    );
    expect(lines).toEqual([
      `::notice title=Contract%3A unverified::Unverified: nothing was judged; 1 not judged; most would add ${remedy} to the profile: 1 clause.%0A${remedy}`,
    ]);
  });

  it("do not let a server write a command", () => {
    const attack = "\n::set-output name=a::b\r\n100%\u001b[2J";
    const [line, ...more] = annotations({ verdict: "fail", expected: attack, received: attack });
    expect(more).toEqual([]);
    // eslint-disable-next-line no-control-regex -- none of them may be left
    expect(line).not.toMatch(/[\r\n\u001b]/);
    expect(line).toContain("100%25");
  });
});
