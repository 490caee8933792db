import { afterAll, beforeAll, describe, test } from "vitest";
import type { Change } from "../conformance/proof/mutant.ts";
import { openStage, type Stage } from "../conformance/proof/stage.ts";
import { goingBy, jumpingClock } from "./jumping-clock.fixture.ts";
import { load } from "./main.ts";
import { billingMutants } from "./billing-mutants.ts";
import { limitMutants, smallWindows, windowKinds } from "./mutants.ts";
import type { Limited } from "../conformance/subject/windows.ts";
import type { Scenario } from "./scenarios/index.ts";
import { limitedOperations } from "../generated/contract.ts";

/** The smallest load. */
const options = {
  seconds: 1,
  rate: 5,
  connections: 12,
  accounts: 1,
  workers: 1,
  calls: 24,
  memoryUrl: null,
};

/** The phase of a minute at which the loads begin: windows must be recognised at any phase. */
const phase = Number(process.env["LOAD_PHASE"] ?? Math.floor(Math.random() * 60_000));

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Loads a changed server. Where windows are awaited, both sides use a clock that jumps over pauses. */
const perform = (change: Change, scenario: Scenario, operation: Limited) => {
  const clock = scenario === "rate-limits" ? jumpingClock(phase) : undefined;
  return stage.perform(clock === undefined ? change : goingBy(clock, change), (profile) =>
    load(
      profile,
      { scenario, options: { ...options, operations: [operation] }, thresholds: [] },
      undefined,
      clock,
    ),
  );
};

describe(`a load names what is wrong (LOAD_PHASE=${phase})`, () => {
  const mutants = [...limitMutants, ...billingMutants];
  test.for(mutants)("$name: $caughtBy", async ({ scenario, operation, caughtBy, change }, { expect }) => {
    const { findings } = await perform(change, scenario, operation);
    expect(findings.map(({ name }) => name)).toContain(caughtBy);
  });
});

describe(`a load raises no alarm on a lawful server (LOAD_PHASE=${phase})`, () => {
  test.for(windowKinds)("windows that are $kind are recognised", async ({ kind, change }, { expect }) => {
    const { findings, windows } = await perform(change, "rate-limits", "discover");
    expect(findings).toEqual([]);
    expect(windows?.kind).toBe(kind);
  });

  test("the four operations at the same time, by the machine's clock", async ({ expect }) => {
    const operations = limitedOperations;
    const { findings, answers } = await stage.perform(
      { config: { ...smallWindows, windowSeconds: 2 } },
      (profile) =>
        load(profile, { scenario: "rate-limits", options: { ...options, operations }, thresholds: [] }),
    );
    expect(findings).toEqual([]);
    expect(answers).toBeGreaterThan(100);
  });

  test("every credit of a storm is accounted for", async ({ expect }) => {
    const { findings, values } = await perform({ config: {} }, "billing", "call");
    expect(findings).toEqual([]);
    expect(values["refused_for_credits"]).toBeGreaterThan(0);
  });
});
