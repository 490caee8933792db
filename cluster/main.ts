import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { demoConfig } from "../conformance/demo/config.ts";
import { furnish } from "../conformance/demo/furnish.ts";
import { conformance, exitingWith, parseFlags } from "../conformance/main.ts";
import { WrongUse } from "../conformance/verdict.ts";
import { withCluster, withDatabase } from "./cluster.ts";

const usage = `Runs the whole suite against several servers on one Postgres and one Redis, behind a round-robin proxy.

  npm run cluster -- [--servers N] [flags of npm run conformance]

  --servers N    how many (3)

TEST_DATABASE_URL and TEST_REDIS_URL say where Postgres and Redis are (postgres://postgres@127.0.0.1:5432/test,
redis://127.0.0.1:6379). The cluster works in a schema of its own, which is dropped afterwards.
`;

await exitingWith(async () => {
  const { values, tokens } = parseArgs({
    strict: false,
    tokens: true,
    options: { servers: { type: "string", default: "3" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const count = Number(values.servers);
  if (!Number.isInteger(count) || count < 1) throw new WrongUse("--servers is a whole number, at least 1");
  const own = tokens.flatMap((token) =>
    token.kind === "option" && token.name === "servers"
      ? [token.index, token.inlineValue ? -1 : token.index + 1]
      : [],
  );
  const flags = parseFlags(process.argv.slice(2).filter((_argument, index) => !own.includes(index)));
  const shared = {
    databaseUrl: process.env["TEST_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/test",
    redisUrl: process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379",
  };
  const dataFolder = await mkdtemp(join(tmpdir(), "capability-cluster-"));
  try {
    return await withDatabase(demoConfig(dataFolder), shared, async (config) => {
      const profile = await furnish(config);
      return withCluster(count, config, ({ baseUrl }) =>
        conformance(
          { ...profile, base_url: baseUrl },
          { ...flags, json: flags.json ?? "reports/cluster.json" },
        ),
      );
    });
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});
