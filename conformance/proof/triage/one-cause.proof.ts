import { afterAll, beforeAll, expect, it } from "vitest";
import { onAnswers, onPath, withStatus, type Change } from "../../changes/mutant.ts";
import { causesOf } from "../../report/causes.ts";
import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import { rules } from "../../suite/rules.ts";
import { openStage, type Stage } from "../stage.ts";

const usage = ["listUsage", "getUsageEvent", "listUsageFeed", "exportUsage"];

/** A fault in one place, and what the first cause says of it. */
const cases: Record<string, [change: Change, first: RegExp]> = {
  "success as a text": [onPath("call", "success", () => "true"), /tools\/execute → 200: expected success: /],
  "no usage audit": [
    { inward: ({ operation }) => (usage.includes(operation ?? "") ? { path: "/not-there" } : null) },
    /^GET \/auth\/usage\/.* is not implemented \(404\)$/,
  ],
  "no registration": [
    {
      ...onAnswers(({ operation }) => operation === "registerAnonymous", withStatus(403)),
      profile: (profile) => ({ ...profile, credentials: { ...profile.credentials, pool: [] } }),
    },
    /^POST \/agent\/anonymous-register answers 403 to everything$/,
  ],
  "one wrong status everywhere": [
    onAnswers((_, { status }) => status === 422, withStatus(400)),
    /expected .*422, received .*400/,
  ],
};

let stage: Stage;
beforeAll(async () => (stage = await openStage()), 120_000);
afterAll(() => stage.close());

it.each(Object.keys(cases))("names %s first, with at most ten causes", { timeout: 600_000 }, async (name) => {
  const [change, first] = cases[name]!;
  const judged = await stage.perform(change, (profile) =>
    run(profile, { checks, rules, fast: true, anyKind: true }),
  );
  const causes = causesOf(judged.findings, judged).map(({ what }) => what);
  expect(causes.length, causes.join("\n")).toBeLessThanOrEqual(10);
  expect(causes[0], causes.join("\n")).toMatch(first);
});
