import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { basePath } from "../../../generated/contract.ts";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { seeded } from "../../../base/seeded.ts";
import { demoConfig } from "../../../conformance/run/demo/config.ts";
import { furnish } from "../../../conformance/run/demo/furnish.ts";
import type { Profile } from "../../../conformance/server/profile.ts";
import { Ended } from "../../../load/ended.ts";
import { load, type Watching } from "../../../load/load.ts";
import type { LoadReport } from "../../../load/report/load-report.ts";
import { unlimitedQuotas } from "../../../reference-server/unlimited.fixture.ts";
import { withCluster, withDatabase, type RunningCluster } from "./cluster.ts";
import { shared, whereShared } from "./three-servers.fixture.ts";

/** Starts three servers on one Postgres, and passes on a profile of them. */
const onThree = (use: (profile: Profile, cluster: RunningCluster) => Promise<void>): Promise<void> =>
  withTemporaryFolder((dataFolder) =>
    withDatabase(
      { ...demoConfig(dataFolder), testClock: false, quotas: unlimitedQuotas },
      shared!,
      async (config) => {
        const profile = await furnish(config);
        await withCluster(3, config, (cluster) => use({ ...profile, base_url: cluster.baseUrl }, cluster));
      },
    ),
  );

const seed = randomInt(2 ** 32);

/** Judges a history through the balancer and at each server. */
const judged = (
  profile: Profile,
  { servers }: RunningCluster,
  calls: number,
  watching: Watching = {},
): Promise<LoadReport> => {
  const also = servers.map(({ origin }) => origin + basePath);
  const options = { connections: 16, accounts: 2, calls, also, seed };
  return load(profile, { scenario: "history", options, thresholds: [] }, watching);
};

it.skipIf(shared === null)(
  `finds nothing wrong with three servers on one Postgres (seed ${seed}, ${whereShared})`,
  () =>
    onThree(async (profile, cluster) => {
      const { findings, values, notes } = await judged(profile, cluster, 100);
      console.info(notes.join("\n"));
      expect(findings).toEqual([]);
      expect(values["operations"]).toBeGreaterThan(200);
      expect(notes.join("\n")).toContain("every read shows all that was answered before it began");
    }),
);

it.skipIf(shared === null)(
  `finds nothing wrong where one of them is killed repeatedly (seed ${seed}, ${whereShared})`,
  () =>
    onThree(async (profile, cluster) => {
      const { pick } = seeded(seed);
      let isOver = false;
      let kills = 0;
      const killing = (async () => {
        for (await pause(3_000); !isOver; await pause(1_000)) {
          const victim = pick(cluster.servers);
          victim.process.kill("SIGKILL");
          await victim.restart();
          kills += 1;
        }
      })();
      const { findings, notes, values } = await judged(profile, cluster, 150).finally(() => (isOver = true));
      await killing;
      console.info(`${kills} kills\n${notes.join("\n")}`);
      // Clients of a server that is dead are not answered.
      expect(findings.filter(({ name }) => name !== "unanswered requests")).toEqual([]);
      expect(kills).toBeGreaterThan(0);
      expect(values["unanswered"]).toBeGreaterThan(0);
    }),
);

it.skipIf(shared === null)(`judges what was seen when it is interrupted (seed ${seed}, ${whereShared})`, () =>
  onThree(async (profile, cluster) => {
    const stop = new AbortController();
    const interrupt = (): void => stop.abort(new Ended("interrupt", "interrupted"));
    const { ended, findings, notes, values } = await judged(profile, cluster, 100_000, {
      stop,
      say: (text) => void (/clients use/.test(text) && setTimeout(interrupt, 2_000)),
    });
    console.info(notes.join("\n"));
    expect(ended).toMatchObject({ by: "interrupt" });
    expect(findings).toEqual([]);
    expect(values["operations"]).toBeGreaterThan(0);
    expect(notes).toContain("the run ended early: the state at rest is not judged");
  }),
);
