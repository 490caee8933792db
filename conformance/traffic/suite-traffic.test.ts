import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checks } from "../suite/checks.ts";
import { mutants } from "../proof/mutants.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { run } from "../runner/run.ts";
import type { Finding } from "../judge/finding.ts";
import { readHar, baseUrlOf } from "./har.ts";
import { writeHar } from "./write-har.ts";
import { isJudged, recordMutant } from "./recorded-mutants.ts";
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
  for await (const traffic of readHar(file, await baseUrlOf(file))) judge.see(traffic);
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

it("a recording of the suite's own traffic has no finding", { timeout: 120_000 }, async () => {
  const { exchanges } = await stage.perform({}, (profile) =>
    run(profile, {
      checks: checks.filter(({ window }) => !window),
      rules: [],
      concurrency: 8,
      fast: true,
    }),
  );
  const file = join(folder, "whole.har");
  await writeHar(file, exchanges);
  const part = await judged(file, false);
  expect(inWords(part.broken)).toEqual([]);
  const { broken, kept } = await judged(file, true);
  expect(inWords(broken)).toEqual([]);
  expect(kept.length).toBeGreaterThan(150);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(crossingRules.map(({ id }) => id)));
});

/** For each rule across exchanges, a mutant that is visible in the suite's traffic. */
const acrossExchanges: readonly (readonly [rule: string, name: string])[] = [
  ["INSP-18/across", "takes a little of every Inspect"],
  ["BILL-04/across", "takes half as much again from the balance as it settles"],
  ["CALL-02/across", "answers every Call with one execution_id"],
  ["BILL-03/across", "records every Call as a success"],
  ["BILL-05/across", "writes the list price into the ledger where the event has a discount"],
  ["BILL-07/across", "shows a rounded list amount in billing"],
  ["BILL-11/across", "writes the ledger entry of a Call twice"],
  ["BILL-23/across", "charges failed Calls, and shows neither amount nor outcome"],
  ["USAG-08/across", "forgets the session_id of a Call"],
  ["USAG-09/across", "takes the session_id of a Call for its search_id"],
  ["USAG-11/across", "records the name of a tool as its id"],
  ["LEDG-03/across", "shows the time of reading as created_at"],
];

it("each rule across exchanges has a mutant", () => {
  expect(acrossExchanges.map(([rule]) => rule).toSorted()).toEqual(
    crossingRules.map(({ id }) => id).toSorted(),
  );
});

it.each(acrossExchanges)(
  "%s is found in the recording of the mutant that %s",
  async (rule, name) => {
    const one = mutants.find((mutant) => mutant.name === name && rule.startsWith(mutant.clause))!;
    const { found } = await recordMutant(one, stage, new Map(), folder);
    expect(found).toContain(rule);
  },
  60_000,
);

/** A fixed sample; `npm run mutants:recorded` judges all of them. */
const sample = mutants
  .filter(({ clause, change }) => change.wire !== undefined && isJudged(clause))
  .filter(({ clause }) => checks.some(({ clauses }) => (clauses as readonly string[]).includes(clause)))
  .map((mutant) => ({
    mutant,
    lot: createHash("sha256")
      .update(mutant.clause + mutant.name)
      .digest("hex"),
  }))
  .toSorted((one, other) => (one.lot < other.lot ? -1 : 1))
  .slice(0, 8)
  .map(({ mutant }) => mutant);

it("what rules see as a server does wrong, they see in the recording", { timeout: 180_000 }, async () => {
  let seen = 0;
  for (const mutant of sample) {
    const { live, found, clause, name } = await recordMutant(mutant, stage, new Map(), folder);
    expect(
      found.filter((id) => live.includes(id)),
      `${clause} ${name}`,
    ).toEqual(live);
    seen += Number(live.length > 0);
  }
  // The others concern active checks only.
  expect(seen).toBeGreaterThan(1);
});
