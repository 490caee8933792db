import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checks } from "../suite/checks.ts";
import { mutants } from "../proof/mutants.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { run } from "../run/run.ts";
import type { Finding } from "../judge/finding.ts";
import { readHar, surveyOf } from "./har.ts";
import { writeHar } from "./write-har.ts";
import { recordMutant } from "../proof/recorded-mutants.ts";
import { crossingRules } from "../suite/crossing.ts";
import { TrafficJudge } from "./traffic-judge.ts";

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), "capability-contract-traffic-"));
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

async function judged(file: string, complete: boolean): Promise<{ broken: Finding[]; kept: Finding[] }> {
  const judge = new TrafficJudge("server", complete);
  for await (const traffic of readHar(file, await surveyOf(file))) judge.see(traffic);
  const findings = judge.findings();
  const errors = findings.filter(({ verdict }) => verdict === "error");
  if (errors.length > 0) throw new Error(errors[0]!.reason!);
  return {
    broken: findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn"),
    kept: findings.filter(({ verdict }) => verdict === "pass"),
  };
}

const inWords = (findings: readonly Finding[]): string[] =>
  findings.map(({ id, expected, received }) => `${id}: expected ${expected}, received ${received}`);

it("a recording of the suite's own traffic has no finding", async () => {
  const { exchanges } = await stage.perform({}, (profile) =>
    run(profile, {
      checks: checks.filter(({ window }) => !window),
      rules: [],
      concurrency: 8,
      fast: true,
    }),
  );
  const file = join(folder, "whole.har");
  writeHar(file, exchanges);
  const part = await judged(file, false);
  expect(inWords(part.broken)).toEqual([]);
  const { broken, kept } = await judged(file, true);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(150);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(crossingRules.map(({ id }) => id)));
});

// A mutant of each rule across exchanges, and a sample of the others: recorded-mutants.proof.ts.
it("a rule across exchanges finds in the recording what a mutant does wrong", async () => {
  const one = mutants.find(({ name }) => name === "writes the ledger entry of a Call twice")!;
  const { found } = await recordMutant(one, stage, new Map());
  expect(found).toContain("BILL-11/across");
});
