import { afterAll, beforeAll, expect, it } from "vitest";
import { onHeaders } from "../changes/mutant.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { run } from "./run.ts";
import { select } from "./select.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it("does not hold a rule against a server that declares its feature off", async () => {
  const silent = onHeaders(() => true, { "X-RateLimit-Limit": undefined });
  const judged = (features: Record<string, string>): Promise<string[]> =>
    stage.perform(silent, async (profile) => {
      const { findings } = await run(
        { ...profile, features },
        { ...select(checks, rules, ["DISC-01", "LIMI-21"]), fast: true },
      );
      return findings.filter(({ clauses }) => clauses.includes("LIMI-21")).map(({ verdict }) => verdict);
    });
  expect(await judged({})).toEqual(["warn"]);
  expect(await judged({ rate_limits: "none yet" })).toEqual(["not_applicable"]);
});
