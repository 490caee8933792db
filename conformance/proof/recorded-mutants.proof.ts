import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { openStage, type Stage } from "./stage.ts";
import { checks } from "../suite/checks.ts";
import { crossingRules } from "../suite/crossing.ts";
import { isJudged, recordMutant } from "./recorded-mutants.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

/** For each rule across exchanges, a mutant that is visible in the suite's traffic. */
const acrossExchanges: readonly (readonly [rule: string, name: string])[] = [
  ["INSP-18/across", "charges a little for every Inspect"],
  ["BILL-04/across", "deducts one and a half times the settled amount from the balance"],
  ["CALL-02/across", "returns the same execution_id for every Call"],
  ["BILL-03/across", "records every Call as a success"],
  ["BILL-05/across", "writes the list price to the ledger although the usage event shows a discount"],
  ["BILL-07/across", "shows a list amount in billing that is 0.005 credits too high"],
  ["BILL-11/across", "writes the ledger entry of a Call twice"],
  ["BILL-23/across", "charges failed Calls but shows them as not charged"],
  ["USAG-08/across", "forgets the session_id of a Call"],
  ["USAG-09/across", "records the session_id of a Call as its search_id"],
  ["USAG-11/across", "records the name of a tool as its id"],
  ["LEDG-03/across", "shows the time of the read as created_at"],
];

it("each rule across exchanges has a mutant", () => {
  expect(acrossExchanges.map(([rule]) => rule).toSorted()).toEqual(
    crossingRules.map(({ id }) => id).toSorted(),
  );
});

it.each(acrossExchanges)("%s is found in the recording of the mutant that %s", async (rule, name) => {
  const recorded = mutants.find((mutant) => mutant.name === name && rule.startsWith(mutant.clause))!;
  const { found } = await recordMutant(recorded, stage, new Map());
  expect(found).toContain(rule);
});

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

it("rules that find a fault live also find it in the recording", async () => {
  let seen = 0;
  for (const mutant of sample) {
    const { live, found, clause, name } = await recordMutant(mutant, stage, new Map());
    expect(
      found.filter((id) => live.includes(id)),
      `${clause} ${name}`,
    ).toEqual(live);
    seen += Number(live.length > 0);
  }
  // The others concern active checks only.
  expect(seen).toBeGreaterThan(1);
});
