import { expect, test } from "vitest";
import { WrongUse } from "../base/exit.ts";
import { contractVersion } from "../generated/contract.ts";
import { Figures } from "./engine/figures.ts";
import { sentAfter } from "./engine/sent.fixture.ts";
import { hold, parseThreshold } from "./engine/thresholds.ts";
import { merged } from "./merge.ts";
import type { LoadReport } from "./report/load-report.ts";

/** The report of a machine whose answers took this many milliseconds each. */
function reportAfter(milliseconds: number, answers: number): LoadReport {
  const figures = new Figures();
  for (let index = 0; index < answers; index += 1) figures.take(sentAfter(milliseconds));
  const values = { rate: 10, findings: 0, drift_p50: 1 };
  return {
    contract_version: contractVersion,
    scenario: "soak",
    target: "http://127.0.0.1/api/v1",
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: 1_000,
    judged: answers,
    answers,
    expected: answers,
    failed: 0,
    unanswered: 0,
    version_note: null,
    notes: [],
    values,
    thresholds: hold([parseThreshold("p50<50ms", [])], figures, values),
    findings: [],
    steps: figures.steps,
    seconds: figures.seconds,
    windows: null,
    memory: null,
    figures: figures.pack(),
  };
}

test("histograms of several machines are added, and conditions are checked against the sum", () => {
  // As they are read from files.
  const reports = JSON.parse(JSON.stringify([reportAfter(10, 100), reportAfter(200, 300)])) as LoadReport[];
  const report = merged(reports);
  expect(report).toMatchObject({ answers: 400, judged: 400, values: { rate: 20 } });
  expect(report.values).not.toHaveProperty("drift_p50");
  // An average of both machines' medians would be 105 ms.
  expect(report.steps[0]!.expected.p50_ms).toBeGreaterThan(199);
  expect(report.thresholds).toMatchObject([{ text: "p50<50ms", kept: false }]);
});

test("further conditions are held against the sum", () => {
  const report = merged([reportAfter(10, 100), reportAfter(200, 300)], ["p99<50ms", "503=0", "failed<1%"]);
  expect(report.thresholds.map(({ text, kept }) => [text, kept])).toEqual([
    ["p50<50ms", false],
    ["p99<50ms", false],
    ["503=0", true],
    ["failed<1%", true],
  ]);
  expect(() => merged([reportAfter(10, 1)], ["executed>3"])).toThrow("speaks of executed");
});

test("reports that do not belong together are refused", () => {
  const other = { ...reportAfter(10, 1), target: "http://127.0.0.2/api/v1" };
  expect(() => merged([reportAfter(10, 1), other])).toThrow(WrongUse);
  const { figures: _, ...old } = reportAfter(10, 1);
  expect(() => merged([old])).toThrow("earlier version");
  expect(() => merged([reportAfter(10, 1), reportAfter(10, 1)])).toThrow("report 2 is the same");
});
