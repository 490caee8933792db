import { afterAll, beforeAll, describe, test } from "vitest";
import type { Change } from "../conformance/mutants/mutant.ts";
import { openStage, type Stage } from "../conformance/mutants/stage.ts";
import { load } from "./main.ts";
import { loadMutants, windowKinds, type LoadMutant } from "./mutants.ts";
import type { Scenario } from "./scenarios/index.ts";

/** A load of the smallest kind. */
const options = {
  operations: ["discover", "inspect", "probe", "call"] as const,
  seconds: 1,
  rate: 5,
  connections: 12,
  accounts: 1,
  workers: 1,
  calls: 24,
  memoryUrl: null,
};

/** Servers at work at the same time: a load mostly waits for its windows. */
const together = 3;
const patience = 120_000;

let stage: Stage;
let atWork = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  while (atWork >= together) await new Promise<void>((resolve) => waiting.push(resolve));
  atWork += 1;
  try {
    return await act();
  } finally {
    atWork -= 1;
    waiting.shift()?.();
  }
}

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const perform = (change: Change, scenario: Scenario, operations: readonly LoadMutant["operation"][]) =>
  inTurn(() =>
    stage.perform(change, (profile) =>
      load(profile, { scenario, options: { ...options, operations }, thresholds: [] }),
    ),
  );
describe.concurrent("a load names what is wrong", { timeout: patience }, () => {
  test.for(loadMutants)("$name: $caughtBy", async ({ scenario, operation, caughtBy, change }, { expect }) => {
    const { findings } = await perform(change, scenario, [operation]);
    expect(findings.map(({ name }) => name)).toContain(caughtBy);
  });
});

describe.concurrent("a load raises no alarm on a lawful server", { timeout: patience }, () => {
  test.for(windowKinds)("windows that are $kind are recognised", async ({ kind, change }, { expect }) => {
    const { findings, windows } = await perform(change, "rate-limits", options.operations);
    expect(findings).toEqual([]);
    expect(windows?.kind).toBe(kind);
  });

  test("every credit of a storm is accounted for", async ({ expect }) => {
    const { findings, values } = await perform({ config: {} }, "billing", []);
    expect(findings).toEqual([]);
    expect(values["refused_for_credits"]).toBeGreaterThan(0);
  });
});
