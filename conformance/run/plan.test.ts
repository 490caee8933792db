import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "../proof/stage.ts";
import { planOf, planText, standIn } from "./plan.ts";
import { run } from "./run.ts";
import { select } from "./select.ts";
import type { Limits } from "../server/allowance.ts";
import { defaultProfile, type Profile } from "../server/profile.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Runs with the profile of an unused reference server. */
const fresh = <T>(use: (reference: Profile) => Promise<T>): Promise<T> => stage.perform({ config: {} }, use);

/** One account and its tools. Others, also larger ones, and whole areas: plan.proof.ts. */
const profileOf = ({ base_url, credentials, tools }: Profile): Profile => ({
  ...defaultProfile(base_url),
  credentials: { ...(credentials.account && { account: credentials.account }), pool: [] },
  tools,
});

/** Checks of which some spend little, and one much. */
const judged = (profile: Profile, limits: Limits = {}) =>
  run(profile, { ...select(checks, rules, ["BILL-11", "BILL-12", "BILL-13"]), fast: true, limits });

/** The remaining credits of the profile's accounts together. */
async function balance({ base_url: url, credentials: { account, pool } }: Profile): Promise<number> {
  const left = await Promise.all(
    [account, ...pool].map(async (key) => {
      if (key === undefined) return 0;
      const answer = await fetch(`${url}/auth/credits`, { headers: { authorization: `Bearer ${key}` } });
      return ((await answer.json()) as { data: { remaining_credits: number } }).data.remaining_credits;
    }),
  );
  return left.reduce((sum, credits) => sum + credits, 0);
}

it("a plan is not exceeded by the run, and can limit a run to less", async () => {
  const plan = await fresh(async (reference) => {
    const profile = standIn(reference, profileOf(reference));
    return planOf("https://example.com/api/v1", await judged(profile), {});
  });
  expect(plan.credits).toBeGreaterThan(0);
  expect(plan.seconds).toBeGreaterThan(plan.waited_seconds);
  expect(planText(plan)).toContain(`${plan.seconds} s, `);
  expect(planText(plan)).toContain(plan.kept_by.join(" "));
  // Runs that use the whole plan: plan.proof.ts.
  const budget = plan.credits / 4;
  await fresh(async (reference) => {
    const profile = profileOf(reference);
    const before = await balance(profile);
    const { sent } = await judged(profile, { budget, maxRequests: Math.ceil(1.2 * plan.requests) });
    expect(before - (await balance(profile))).toBeLessThanOrEqual(budget);
    expect(sent.credits).toBeLessThanOrEqual(budget);
    expect(sent.requests).toBeLessThanOrEqual(1.2 * plan.requests + 1);
  });
});

it("shares a limit on requests among the areas", async () => {
  const areaOf = ({ id }: { id: string }): string => id.split("-")[0]!;
  // The busier the machine, the more requests the first check of BILL sends, which reads while Calls are under way.
  const maxRequests = 900;
  const { findings, sent } = await fresh(({ base_url }) =>
    run(defaultProfile(base_url), { checks, rules: [], fast: true, limits: { maxRequests } }),
  );
  expect(sent.requests).toBe(maxRequests);
  const asked = new Set(findings.filter(({ exchanges }) => exchanges.length > 0).map(areaOf));
  // The checks of rate limits use up quotas, and come last.
  expect([...new Set(checks.map(areaOf))].filter((area) => !asked.has(area) && area !== "LIMI")).toEqual([]);
});

it("ends early, with part of the verdicts, when it is interrupted", async () => {
  const stop = new AbortController();
  const { findings, interrupted } = await fresh((reference) =>
    run(reference, {
      ...select(checks, rules, ["BILL"]),
      limits: { signal: stop.signal },
      concurrency: 1,
      onFinding: (_, done) => done === 3 && stop.abort(),
    }),
  );
  expect(interrupted).toBe(true);
  const left = findings.filter(({ reason }) => reason === "the run was interrupted before this was judged");
  expect(left.length).toBeGreaterThan(5);
  expect(findings.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(0);
});
