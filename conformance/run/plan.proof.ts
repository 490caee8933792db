import fc from "fast-check";
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planOf, standIn } from "./plan.ts";
import { openStage, type Stage } from "../proof/stage.ts";
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

const areas = [...new Set(checks.flatMap(({ clauses }) => clauses.map((clause) => clause.split("-")[0]!)))];
const of = <Member extends string>(...members: Member[]) => fc.subarray(members);

/** What a profile may leave out, which areas are judged, and how much of its plan a run may use. */
const runs = fc.record({
  areas: fc.subarray(areas, { minLength: 1, maxLength: 4 }),
  credentials: of("account", "other_account", "second_key_of_account", "exhausted", "every_kind"),
  poolSize: fc.nat(3),
  keepsTools: fc.boolean(),
  keepsCapabilities: fc.boolean(),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** What a profile that has everything may plan. */
const everything = {
  areas: ["BILL"],
  credentials: ["account", "other_account", "second_key_of_account", "exhausted", "every_kind"],
  poolSize: 3,
  keepsTools: true,
  keepsCapabilities: true,
  share: 0.25,
};

const picked = <Part extends object>(part: Part, names: readonly string[]): Part =>
  Object.fromEntries(Object.entries(part).filter(([name]) => names.includes(name))) as Part;

/** The credits that an account has left. */
async function creditsOf({ base_url: url }: Profile, key: string): Promise<number> {
  const answer = await fetch(`${url}/auth/credits`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { remaining_credits: number } }).data.remaining_credits;
}

it("no run of any profile spends or sends more than its plan, or less if it may use less", async () => {
  const seed = randomInt(2 ** 31);
  console.info(`profiles of seed ${seed}`);
  let spentByAll = 0;
  for (const drawn of [everything, ...fc.sample(runs, { seed, numRuns: 20 })]) {
    const { credentials, poolSize, share } = drawn;
    const profileOf = (reference: Profile): Profile => ({
      ...defaultProfile(reference.base_url),
      credentials: {
        ...picked(reference.credentials, credentials),
        pool: reference.credentials.pool.slice(0, poolSize),
      },
      // Nothing waits for windows to end.
      ...(reference.clock && { clock: reference.clock }),
      ...(drawn.keepsTools && { tools: reference.tools }),
      ...(drawn.keepsCapabilities && { capabilities: reference.capabilities }),
    });
    const judged = (profile: Profile, limits: Limits = {}) =>
      run(profile, { ...select(checks, rules, drawn.areas), fast: true, anyKind: true, limits });
    const plan = await stage.perform({ config: {} }, async (reference) =>
      planOf("https://example.com/api/v1", await judged(standIn(reference, profileOf(reference))), {}),
    );
    const held = { budget: plan.credits * share, maxRequests: Math.ceil(plan.requests * share) };
    for (const limits of [{ budget: plan.credits, maxRequests: Math.ceil(1.2 * plan.requests) }, held]) {
      await stage.perform({ config: {} }, async (reference) => {
        const profile = profileOf(reference);
        const keys = [
          profile.credentials.account,
          profile.credentials.other_account,
          ...profile.credentials.pool,
        ];
        const given = [...new Set(keys.filter((key) => key !== undefined))];
        const before = await Promise.all(given.map((key) => creditsOf(profile, key)));
        const { sent } = await judged(profile, limits);
        const after = await Promise.all(given.map((key) => creditsOf(profile, key)));
        const numbers = JSON.stringify({ drawn, limits, sent });
        const spent = before.reduce((sum, credits, index) => sum + credits - after[index]!, 0);
        spentByAll += spent;
        expect(spent, numbers).toBeLessThanOrEqual(limits.budget + 1e-9);
        expect(sent.credits, numbers).toBeLessThanOrEqual(limits.budget);
        expect(sent.requests, numbers).toBeLessThanOrEqual(limits.maxRequests);
      });
    }
  }
  expect(spentByAll).toBeGreaterThan(0);
});
