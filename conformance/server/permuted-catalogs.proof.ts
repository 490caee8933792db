import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "../proof/stage.ts";
import { reportOf } from "../report/report.ts";
import { run } from "../run/run.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { permutedCatalog } from "./permuted-catalog.fixture.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { defaultProfile } from "./profile.ts";

/** Nearly all of a run is waiting, for windows and for registrations. */
const concurrency = 4;

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it(
  "shows at least 500 clauses by the address alone, on catalogues of any order and any prices",
  { timeout: 3_600_000 },
  async () => {
    const counts = await mapConcurrently(seeds, concurrency, (seed) =>
      stage.perform(permutedCatalog(seed), async ({ base_url: url }) => {
        const profile = defaultProfile(url);
        const report = reportOf(await run(profile, { checks, rules }), profile);
        const failed = report.checks.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));
        const kept = report.clauses.filter(({ verdict }) => verdict === "pass").length;
        console.log(`seed ${seed}: ${kept} of ${report.clauses.length} clauses`);
        return { seed, kept, failed: failed.map(({ id }) => id) };
      }),
    );
    expect(counts.filter(({ kept, failed }) => kept < 500 || failed.length > 0)).toEqual([]);
  },
);
