import { afterAll, beforeAll, describe, test } from "vitest";
import { billingMutants } from "./billing-mutants.fixture.ts";
import { limitMutants } from "./mutants.fixture.ts";
import { openLoads, phase } from "./performed.fixture.ts";

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
