import { describe, expect, it } from "vitest";
import { judgedLine, judgedNothing, judgedOf } from "./judged.ts";
import { sampleCheck, sampleReport } from "./sample-report.fixture.ts";

const lacking = (clause: string, remedy: string | null, reason = "something is missing") =>
  sampleCheck({ clauses: [clause], verdict: "unverified", remedy, reason });

describe("what a report says that it judged", () => {
  it("counts clauses, and puts the line of a profile that adds most first", () => {
    const report = sampleReport([
      sampleCheck({ clauses: ["CALL-01"] }),
      sampleCheck({ clauses: ["CALL-03"], verdict: "fail" }),
      lacking("TRIA-12", "mailbox: A"),
      lacking("TRIA-13", "mailbox: A"),
      lacking("AUTH-05", "credentials: B"),
      lacking("LIMI-05", null, "it was left out"),
      lacking("LIMI-06", null, "it was left out"),
      lacking("LIMI-19", null, "it was left out"),
    ]);
    expect(judgedOf(report)).toMatchObject({ kept: 1, broken: 1, unjudged: 6 });
    expect(judgedOf(report).lacks.map(({ what, count }) => [what, count])).toEqual([
      ["mailbox: A", 2],
      ["credentials: B", 1],
      ["it was left out", 3],
    ]);
    expect(judgedLine(report)).toMatch(
      /^Judged 2 of 8 clauses asked, of \d+ in all: 1 kept, 1 broken; 6 not judged; most would add mailbox: A to the profile: 2 clauses\.$/,
    );
  });

  it("counts a known failure among the broken", () => {
    const report = sampleReport([
      sampleCheck({ clauses: ["CALL-01"] }),
      sampleCheck({ clauses: ["CALL-03"], verdict: "known" }),
    ]);
    expect(judgedLine(report)).toContain("Judged 2 of 2 clauses asked");
    expect(judgedLine(report)).toContain("1 kept, 1 broken (1 known); 0 not judged.");
  });

  it("does not count a clause as lacking that another check shows", () => {
    const report = sampleReport([sampleCheck({ clauses: ["CALL-01"] }), lacking("CALL-01", "tools: A")]);
    expect(judgedOf(report).lacks).toEqual([]);
  });

  it("says first that nothing was judged", () => {
    const report = sampleReport([lacking("CALL-01", null, "it was left out")]);
    expect(judgedNothing(report)).toBe(true);
    expect(judgedLine(report)).toBe(
      "Unverified: nothing was judged; 1 not judged, 1 of them because it was left out.",
    );
  });
});
