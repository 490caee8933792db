import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { mutants as billing } from "../billing/mutants.ts";
import type { Change } from "../../changes/mutant.ts";
import { openStage, type Stage } from "../../proof/stage.ts";
import type { Finding } from "../../judge/finding.ts";
import { run } from "../../run/run.ts";
import type { Profile } from "../../server/profile.ts";
import { checks as accountWalk } from "./walk.checks.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** The walk of a seed against a server with a change. */
async function walked(
  seed: number,
  change: Change,
  { features = {}, scripts = false }: { features?: Profile["features"]; scripts?: boolean } = {},
): Promise<Finding> {
  vi.stubEnv("WALK_SEED", String(seed));
  const { findings } = await stage.perform(change, (profile) =>
    run(
      { ...profile, audit_lag: 0, features: { ...profile.features, ...features } },
      { checks: accountWalk, rules: [], anyKind: true, scripts },
    ),
  );
  return findings[0]!;
}

/** The requests of a walk, in order. */
const stepsOf = ({ exchanges }: Finding, seed: number): string[] =>
  exchanges
    .map(({ request }) => `${request.url.split("/v1")[1]} ${request.body}`)
    .filter((asked) => asked.includes(`walk-${seed}`));

const twice = billing.find(({ name }) => name === "settles every charged Call twice")!.change;

it("walks the same way for the same seed, and another for another", async () => {
  const [one, same, other] = [await walked(5, {}), await walked(5, {}), await walked(6, {})];
  expect([one, same, other].map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
  expect(stepsOf(one, 5).length).toBeGreaterThan(0);
  expect(stepsOf(same, 5)).toEqual(stepsOf(one, 5));
  expect(stepsOf(other, 6)).not.toEqual(stepsOf(one, 5).map((asked) => asked.replace("walk-5", "walk-6")));
});

it("names the seed and every step of a failure, and leaves out of its script those that it does not need", async () => {
  const { verdict, expected, received, script } = await walked(5, twice, { scripts: true });
  expect(verdict).toBe("fail");
  expect(expected).toMatch(/, after \w[\w ]+, call \w+$/);
  expect(received).toContain("WALK_SEED=5");
  expect(script!.is_repeated).toBe(true);
  expect(script!.requests).toBeLessThanOrEqual(8);
});

it("walks on the account of the profile where no further one can be registered", async () => {
  const { verdict, expected } = await walked(5, twice, { features: { trial: "there are none" } });
  expect(verdict).toBe("fail");
  expect(expected).toMatch(/, after \w[\w ]+, call \w+$/);
});

it("judges no balance that a reward may have changed while the account was read", async () => {
  let reads = 0;
  const rewarding: Change = {
    operations: (operations) => ({
      ...operations,
      async listLedger(request, context) {
        reads += 1;
        const amount = 1_000_000;
        if (reads === 5)
          await context.books.move({
            accountId: request.caller.account.id,
            entryType: "grant_invitation_reward",
            amount,
            description: "a reward",
          });
        return operations.listLedger(request, context);
      },
    }),
  };
  const { verdict, reason } = await walked(5, rewarding);
  expect(reads).toBeGreaterThan(5);
  expect([verdict, reason]).toEqual(["unverified", expect.stringContaining("rewards came")]);
});
