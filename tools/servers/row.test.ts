import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sampleCheck, sampleReport } from "../../conformance/report/sample-report.fixture.ts";
import { readmeTable } from "./page.ts";
import { rowOf } from "./row.ts";

const failed = { verdict: "fail", expected: "1", received: "2", reason: "expected 1" } as const;

test("what is declined and what is wrong are counted apart", () => {
  const checks = [
    sampleCheck({ id: "CALL-01/a", clauses: ["CALL-01"] }),
    sampleCheck({ id: "CALL-03/a", clauses: ["CALL-03"], ...failed }),
    sampleCheck({
      id: "USAG-01/a",
      clauses: ["USAG-01"],
      verdict: "not_applicable",
      reason: "not implemented yet",
    }),
    sampleCheck({ id: "LEDG-01/a", clauses: ["LEDG-01"], ...failed }),
    sampleCheck({ id: "LEDG-02/a", clauses: ["LEDG-02"], verdict: "blocked", reason: "404" }),
    sampleCheck({ id: "DISC-01/a", clauses: ["DISC-01"], verdict: "unverified", reason: "no tool" }),
  ];
  const absent = {
    what: "GET /auth/credits/ledger is not implemented (404)",
    verdict: "fail" as const,
    lead: "LEDG-01/a",
    clauses: ["LEDG-01"],
    places: [],
    checks: ["LEDG-01/a"],
    blocks: ["LEDG-02/a"],
    declare: "features: {listLedger: {off: not implemented yet}}",
  };
  const report = sampleReport(checks, { causes: [absent], part: "--fast" });
  expect(rowOf("mine", report)).toEqual({
    name: "mine",
    day: "2026-11-20",
    suite: "0.1.0",
    part: "--fast",
    asked: 6,
    shown: 1,
    declined: 3,
    wrong: 1,
  });
});

test("the README shows the first rows of the table, and has at most 150 lines", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(await readmeTable());
  expect(readme.split("\n").length).toBeLessThanOrEqual(151);
});
