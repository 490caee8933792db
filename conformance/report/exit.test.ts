import { describe, expect, it } from "vitest";
import { sampleReport } from "./sample-report.fixture.ts";
import { summaryOf } from "./report.ts";
import { exitStatus } from "./exit.ts";

describe("the exit status", () => {
  it.each([
    [[], 3, 3],
    [["unverified"], 3, 3],
    [["unverified", "not_applicable"], 3, 3],
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
});
