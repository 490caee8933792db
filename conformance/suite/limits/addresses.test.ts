import { afterAll, beforeAll, expect, test } from "vitest";
import type { Limiter } from "../../../reference-server/parts.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { onPart, together, type Change } from "../../changes/mutant.ts";
import type { Finding } from "../../judge/finding.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import { run } from "../../run/run.ts";
import { checks } from "./checks.ts";
import { mutants } from "./mutants.ts";

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage.close());

/**
 * Two processes of one server, each with its address: they know the same keys.
 * @param counts how the second one counts, with the limiter of the first
 */
async function judged(
  clause: ClauseId,
  counts: (first: Limiter) => Change,
): Promise<{ found: Finding; addresses: string[] }> {
  let first: Limiter;
  const some = checks.filter(({ clauses }) => clauses[0] === clause);
  const config = {
    quotas: { discover: 30, inspect: 31, probe: 32, call: 33, anonymous: 1000 },
    windowSeconds: 5,
  };
  const change = together(
    onPart("limiter", (limiter) => (first = limiter)),
    { config },
  );
  return stage.perform(change, (profile) =>
    stage.perform(together(counts(first), { config }), async ({ base_url: second }) => {
      // Accounts that one process registers are unknown to the other: each has its own database here.
      const features = { ...profile.features, trial: "not here" };
      const { clock: _, ...given } = { ...profile, features, also: [second] };
      const { findings } = await run(given, { checks: some, rules: [] });
      return { found: findings[0]!, addresses: [profile.base_url, second] };
    }),
  );
}

const shared = (first: Limiter): Change => onPart("limiter", () => first);
const apart = (): Change => ({});
const byKey = mutants.find(({ name }) => name === "counts each key separately")!.change;

test("a cluster that shares its counts admits one quota at all addresses together", async () => {
  const { found } = await judged("LIMI-01", shared);
  expect(found).toMatchObject({ verdict: "pass" });
});

test("a quota at each address fails, and the addresses are named with what each admitted", async () => {
  const { found, addresses } = await judged("LIMI-01", apart);
  expect(found).toMatchObject({ verdict: "fail", clauses: expect.arrayContaining(["LIMI-01"]) });
  for (const address of addresses) expect(JSON.stringify(found)).toContain(`30 at ${address}`);
});

test("a second key with a count of its own at one of two addresses fails", async () => {
  expect((await judged("LIMI-07", shared)).found).toMatchObject({ verdict: "pass" });
  const { found, addresses } = await judged("LIMI-07", (first) => together(shared(first), byKey));
  expect(found).toMatchObject({ verdict: "fail", clauses: ["LIMI-07"] });
  expect(found.exchanges[found.culprit!]!.request.url).toContain(addresses[1]);
});
