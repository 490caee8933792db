import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { whole, yes } from "../../../base/flag.ts";
import { verb } from "../../../base/verb.ts";
import { demoConfig } from "../../../conformance/run/demo/config.ts";
import { furnish } from "../../../conformance/run/demo/furnish.ts";
import { flags as conformanceFlags } from "../../../conformance/run/flags.ts";
import { conformance } from "../../../conformance/run/main.ts";
import type { Profile } from "../../../conformance/server/profile.ts";
import type { Config } from "../../../reference-server/config.ts";
import { withCluster, withDatabase } from "./cluster.ts";
import { loadScenarios, loadWindow } from "./load.ts";

/** Seeds a new database, starts the cluster on it, and passes on a profile that describes it. */
async function onCluster(
  count: number,
  change: (config: Config) => Config,
  use: (profile: Profile, dataFolder: string) => Promise<number>,
): Promise<number> {
  const shared = {
    databaseUrl: process.env["TEST_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/test",
    redisUrl: process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379",
  };
  return withTemporaryFolder(async (dataFolder) => {
    // Each server would have a test clock of its own.
    const config = { ...demoConfig(dataFolder), testClock: false };
    return withDatabase(change(config), shared, async (config) => {
      const profile = await furnish(config);
      return withCluster(count, config, ({ baseUrl }) => {
        process.stdout.write(`${count} servers behind nginx, on one Postgres and one Redis\n`);
        return use({ ...profile, base_url: baseUrl }, dataFolder);
      });
    });
  });
}

export default verb({
  flags: {
    servers: whole("--servers <N>", "number of servers").or(3),
    load: yes(
      "--load",
      `then every scenario of the load, against as many servers with windows of ${loadWindow} s`,
    ),
    loadOnly: yes("--load-only", "only the load scenarios"),
    ...conformanceFlags,
  },
  about: `Runs the whole suite against several servers on one Postgres and one Redis, behind nginx as reference-server/deploy/nginx.conf has it.

TEST_DATABASE_URL and TEST_REDIS_URL are the addresses of Postgres and Redis (postgres://postgres@127.0.0.1:5432/test,
redis://127.0.0.1:6379). The cluster uses a schema of its own, which is dropped afterwards.`,
  async run({ servers, load, loadOnly, ...flags }) {
    const judged = loadOnly
      ? 0
      : await onCluster(
          servers,
          (config) => config,
          (profile) => conformance(profile, { ...flags, json: flags.json ?? "reports/cluster.json" }),
        );
    if (!load && !loadOnly) return judged;
    const loaded = await onCluster(
      servers,
      (config) => ({ ...config, windowSeconds: loadWindow }),
      (profile, dataFolder) => loadScenarios(profile, dataFolder),
    );
    return Math.max(judged, loaded);
  },
});
