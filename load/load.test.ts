import { afterAll, beforeAll, describe, test } from "vitest";
import { billingMutants } from "./billing-mutants.fixture.ts";
import type { Profile } from "../conformance/server/profile.ts";
import { loadStatus } from "./report/load-report.ts";
import { limitMutants, windowKinds } from "./mutants.fixture.ts";
import { openLoads, phase } from "./performed.fixture.ts";

let loads: Awaited<ReturnType<typeof openLoads>>;
beforeAll(async () => {
  loads = await openLoads();
});
afterAll(() => loads.stage.close());

// Every mutant: mutants.proof.ts.
test.for([limitMutants[0]!, billingMutants[0]!])(
  `a load names what is wrong: $name (LOAD_PHASE=${phase})`,
  async ({ scenario, operation, caughtBy, change }, { expect }) => {
    const { findings } = await loads.perform(change, scenario, operation);
    expect(findings.map(({ name }) => name)).toContain(caughtBy);
  },
);

describe(`a load raises no alarm on a lawful server (LOAD_PHASE=${phase})`, () => {
  test.for(windowKinds)("windows that are $kind are recognised", async ({ kind, change }, { expect }) => {
    const { findings, windows } = await loads.perform(change, "rate-limits", "discover");
    expect(findings).toEqual([]);
    // A window that the first request opens as a minute begins is aligned as well: which of the two is not reported.
    const isNearMinute = kind !== "sliding" && phase > 45_000;
    expect(isNearMinute ? [kind, "fixed"] : [kind]).toContain(windows?.kind);
  });

  test("every credit of a storm is accounted for", async ({ expect }) => {
    const { findings, values } = await loads.perform({ config: {} }, "billing", "call");
    expect(findings).toEqual([]);
    expect(values["refused_for_credits"]).toBeGreaterThan(0);
  });

  test("a history says so where no read had to show any Call yet", async ({ expect }) => {
    const judged = async (audit_lag: number) => {
      const late = { profile: (profile: Profile) => ({ ...profile, audit_lag }) };
      const report = await loads.perform(late, "history", "call");
      const lacks = report.questions!.flatMap(({ lack }) => lack?.what ?? []);
      return { status: loadStatus(report), ended: report.ended?.text, lacks: lacks.join() };
    };
    // The account has more events than a page of the feed holds: that is a lack of its own.
    expect(await judged(0.05)).toEqual({ status: 0, lacks: expect.not.stringContaining("audit_lag") });
    // Longer than the load takes on a busy machine.
    expect(await judged(10)).toEqual({
      status: 0,
      lacks: expect.stringContaining("within audit_lag (10 s)"),
    });
    // No load waits for an hour.
    expect(await judged(3_600)).toMatchObject({
      status: 3,
      ended: expect.stringContaining("--wait SECONDS"),
    });
  });
});
