import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { clusterKillRounds } from "./cluster-rounds.ts";
import { summary, told, type Reckoning } from "./reckoning.ts";
import { killRounds } from "./rounds.ts";

const usage = `Kills servers at every step of a Call and at random, and holds what their clients were told against the accounts.

  npm run kill -- [--rounds N] [--seed N] [--database postgres://… --redis redis://…]

  --rounds N     how many (20)
  --seed N       repeats the choices of an earlier run
  --database U   three servers on this Postgres, behind nginx, instead of one on SQLite; they work in a schema of their own
  --redis U      their Redis (redis://127.0.0.1:6379)

Exit status: 0 every promise was kept, 1 one was broken, 2 wrong use.
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function read(): { rounds: number; seed: number; database: string | undefined; redis: string } | null {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: "string", default: "20" },
        seed: { type: "string" },
        database: { type: "string" },
        redis: { type: "string", default: "redis://127.0.0.1:6379" },
      },
    });
    const { database, redis } = values;
    const rounds = Number(values.rounds);
    const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
    const right = Number.isInteger(rounds) && rounds >= 1 && Number.isInteger(seed) && seed >= 0;
    if (!right || (database !== undefined && !/^postgres(ql)?:\/\//.test(database))) return null;
    return { rounds, seed, database, redis };
  } catch {
    return null;
  }
}

async function main(): Promise<number> {
  const given = read();
  if (given === null) {
    process.stderr.write(usage);
    return 2;
  }
  const { rounds, seed, database, redis } = given;
  say(`seed ${seed}`);
  const reckoned = (reckoning: Reckoning): void => say(told(reckoning));
  const all =
    database === undefined
      ? await killRounds({ rounds, seed }, reckoned)
      : await clusterKillRounds(
          { rounds, seed, shared: { databaseUrl: database, redisUrl: redis } },
          reckoned,
          (balancer) => say(`three servers behind ${balancer}`),
        );
  say(summary(all));
  return all.some(({ broken }) => broken.length > 0) ? 1 : 0;
}

process.exitCode = await main();
