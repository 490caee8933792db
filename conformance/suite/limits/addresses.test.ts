import { afterAll, beforeAll, expect, test } from "vitest";
import type { Limiter } from "../../../reference-server/parts.ts";
import { onPart, type Change } from "../../changes/mutant.ts";
import type { Finding } from "../../judge/finding.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import { run } from "../../run/run.ts";
import { checks } from "./checks.ts";

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage.close());

/** Two processes of one server, each with its address: they know the same keys, and count by one limiter or each by its own. */
async function judged(isShared: boolean): Promise<{ found: Finding; addresses: string[] }> {
  let first: Limiter;
  const ofDiscover = checks.filter(({ clauses }) => clauses.includes("LIMI-01"));
  const config = {
    quotas: { discover: 30, inspect: 31, probe: 32, call: 33, anonymous: 1000 },
    windowSeconds: 5,
  };
  const one: Change = { ...onPart("limiter", (limiter) => (first = limiter)), config };
  const other: Change = { ...onPart("limiter", (limiter) => (isShared ? first : limiter)), config };
  return stage.perform(one, (profile) =>
    stage.perform(other, async ({ base_url: second }) => {
      // Accounts that one process registers are unknown to the other: each has its own database here.
      const features = { ...profile.features, trial: "not here" };
      const { clock: _, ...given } = { ...profile, features, also: [second] };
      const { findings } = await run(given, { checks: ofDiscover, rules: [] });
      return { found: findings[0]!, addresses: [profile.base_url, second] };
    }),
  );
}

test("a cluster that shares its counts admits one quota at all addresses together", async () => {
  const { found } = await judged(true);
  expect(found).toMatchObject({ verdict: "pass" });
});

test("a quota at each address fails, and the addresses are named with what each admitted", async () => {
  const { found, addresses } = await judged(false);
  expect(found).toMatchObject({ verdict: "fail", clauses: expect.arrayContaining(["LIMI-01"]) });
  for (const address of addresses) expect(JSON.stringify(found)).toContain(`30 at ${address}`);
});
