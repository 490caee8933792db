import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { demoConfig } from "../conformance/demo/config.ts";
import { furnish } from "../conformance/demo/furnish.ts";
import { conformance, exitingWith, parseFlags } from "../conformance/main.ts";
import type { Profile } from "../conformance/subject/profile.ts";
import { WrongUse } from "../conformance/judge/verdict.ts";
import type { Config } from "../reference-server/config.ts";
import { withCluster, withDatabase } from "./cluster.ts";
import { loadScenarios, loadWindow } from "./load.ts";

const usage = `Runs the whole suite against several servers on one Postgres and one Redis, behind nginx as deploy/nginx.conf
has it, or behind a balancer of our own where nginx is not installed.

  npm run cluster -- [--servers N] [--load] [flags of npm run conformance]

  --servers N    how many (3)
  --load         then every scenario of npm run load, against as many servers with windows of ${loadWindow} s
  --load-only    the scenarios alone

TEST_DATABASE_URL and TEST_REDIS_URL say where Postgres and Redis are (postgres://postgres@127.0.0.1:5432/test,
redis://127.0.0.1:6379). The cluster works in a schema of its own, which is dropped afterwards.
Exit status: that of npm run conformance, or of npm run load where it is worse.
`;

const own = {
  servers: { type: "string", default: "3" },
  load: { type: "boolean", default: false },
  "load-only": { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const;

/** The arguments that are not this command's own. */
function others(): string[] {
  const { tokens } = parseArgs({ strict: false, tokens: true, options: own });
  const mine = tokens.flatMap((token) => {
    if (token.kind !== "option" || !(token.name in own)) return [];
    return token.name === "servers" && !token.inlineValue ? [token.index, token.index + 1] : [token.index];
  });
  return process.argv.slice(2).filter((_argument, index) => !mine.includes(index));
}

/** Furnishes a database of its own, starts the cluster on it, and hands over the profile of what is there. */
async function onCluster(
  count: number,
  change: (config: Config) => Config,
  use: (profile: Profile, dataFolder: string) => Promise<number>,
): Promise<number> {
  const shared = {
    databaseUrl: process.env["TEST_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/test",
    redisUrl: process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379",
  };
  const dataFolder = await mkdtemp(join(tmpdir(), "capability-cluster-"));
  try {
    return await withDatabase(change(demoConfig(dataFolder)), shared, async (config) => {
      const profile = await furnish(config);
      return withCluster(count, config, ({ baseUrl, balancer }) => {
        process.stdout.write(`${count} servers behind ${balancer}, on one Postgres and one Redis\n`);
        return use({ ...profile, base_url: baseUrl }, dataFolder);
      });
    });
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}

await exitingWith(async () => {
  const { values } = parseArgs({ strict: false, options: own });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const count = Number(values.servers);
  if (!Number.isInteger(count) || count < 1) throw new WrongUse("--servers is a whole number, at least 1");
  const flags = parseFlags(others());
  const only = values["load-only"] === true;
  const judged = only
    ? 0
    : await onCluster(
        count,
        (config) => config,
        (profile) => conformance(profile, { ...flags, json: flags.json ?? "reports/cluster.json" }),
      );
  if (values.load !== true && !only) return judged;
  const loaded = await onCluster(
    count,
    (config) => ({ ...config, windowSeconds: loadWindow }),
    (profile, dataFolder) => loadScenarios(profile, dataFolder),
  );
  return Math.max(judged, loaded);
});
