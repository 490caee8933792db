import { describe, expect, it } from "vitest";
import { sampleReport } from "./sample-report.fixture.ts";
import { summaryOf } from "./report.ts";
import { WrongUse } from "../../cli/exit.ts";
import type { Verdict } from "../judge/verdict.ts";
import { exitStatus, judgedByList } from "./exit.ts";
import type { Finding } from "../judge/finding.ts";

const finding = (id: string, verdict: Verdict, clauses: string[] = ["CALL-07"]): Finding => ({
  id,
  clauses,
  level: "must",
  title: id,
  verdict,
  reason: verdict === "pass" ? null : "expected 0",
  expected: null,
  received: null,
  remedy: null,
  duration_ms: 1,
  exchanges: [],
  culprit: null,
});

const judged = (findings: Finding[], known: string[]): [Verdict, string | null][] => {
  judgedByList(findings, known);
  return findings.map(({ verdict, reason }) => [verdict, reason]);
};

describe("the list of known failures", () => {
  it("sets apart what is listed and fails, by clause or by check, and keeps the reason", () => {
    const set = ["not_applicable", "listed as a known failure: expected 0"];
    expect(judged([finding("a", "fail"), finding("b", "pass")], ["CALL-07"])).toEqual([set, ["pass", null]]);
    expect(judged([finding("a", "warn"), finding("b", "fail")], ["a"])).toEqual([
      set,
      ["fail", "expected 0"],
    ]);
    expect(judged([finding("a", "fail")], ["a", "CALL-07"])).toEqual([set]);
  });

  it("fails what is listed and passes", () => {
    expect(judged([finding("a", "pass"), finding("b", "pass", ["CALL-08"])], ["CALL-07"])).toEqual([
      ["fail", "CALL-07 is listed under known_failures and passes; take it off the list"],
      ["pass", null],
    ]);
  });

  it("says nothing about what is listed and in doubt", () => {
    for (const verdict of ["unverified", "blocked", "error", "not_applicable"] as const) {
      expect(judged([finding("a", verdict)], ["CALL-07"])).toEqual([[verdict, "expected 0"]]);
    }
  });

  it("refuses a name that the run does not know", () => {
    expect(() => judgedByList([finding("a", "pass")], ["CALL-99"])).toThrow(WrongUse);
    expect(() => judgedByList([finding("a", "pass")], ["CALL-99"])).toThrow(/CALL-99 is neither/);
  });
});

describe("the exit status", () => {
  it.each([
    [[], 0, 0],
    [["pass"], 0, 0],
    [["pass", "not_applicable"], 0, 0],
    [["pass", "warn"], 0, 1],
    [["pass", "unverified"], 0, 1],
    [["pass", "fail"], 1, 1],
    [["pass", "blocked"], 1, 1],
    [["fail", "error"], 4, 4],
  ] as const)("of %j is %i, and %i strictly", (all, lenient, strict) => {
    const report = { ...sampleReport([]), summary: summaryOf(all.map((verdict) => ({ verdict }))) };
    expect(exitStatus(report, false)).toBe(lenient);
    expect(exitStatus(report, true)).toBe(strict);
  });

  it("of a whole run with something blocked and nothing red is the suite's own", () => {
    const ended = (...all: Verdict[]): number =>
      exitStatus(
        { ...sampleReport([]), summary: summaryOf(all.map((verdict) => ({ verdict }))) },
        false,
        true,
      );
    expect(ended("pass", "blocked")).toBe(4);
    expect(ended("fail", "blocked")).toBe(1);
    expect(ended("warn", "blocked")).toBe(1);
  });
});
