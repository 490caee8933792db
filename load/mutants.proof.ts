import { afterAll, beforeAll, describe, test } from "vitest";
import { limitedOperations } from "../generated/contract.ts";
import { billingMutants } from "./billing-mutants.fixture.ts";
import { load } from "./load.ts";
import { limitMutants, smallWindows } from "./mutants.fixture.ts";
import { openLoads, phase, smallest } from "./performed.fixture.ts";

let loads: Awaited<ReturnType<typeof openLoads>>;
beforeAll(async () => {
  loads = await openLoads();
});
afterAll(() => loads.stage.close());

describe(`a load names what is wrong (LOAD_PHASE=${phase})`, () => {
  const mutants = [...limitMutants, ...billingMutants];
  test.for(mutants)("$name: $caughtBy", async ({ scenario, operation, caughtBy, change }, { expect }) => {
    const { findings } = await loads.perform(change, scenario, operation);
    const before = await loads.findingsUnaltered(change, scenario, operation);
    const names = findings.map(({ name }) => name).filter((name) => !before.includes(name));
    expect(
      names.some((name) => caughtBy.split(" or ").includes(name)),
      names.join(),
    ).toBe(true);
  });
});

test("a load of the four operations at the same time raises no alarm, by the machine's clock", async ({
  expect,
}) => {
  const options = { ...smallest, operations: limitedOperations };
  const { findings, answers } = await loads.stage.perform(
    { config: { ...smallWindows, windowSeconds: 2 } },
    (profile) => load(profile, { scenario: "rate-limits", options, thresholds: [] }),
  );
  expect(findings).toEqual([]);
  expect(answers).toBeGreaterThan(100);
});
