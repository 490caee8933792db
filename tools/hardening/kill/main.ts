import { randomInt } from "node:crypto";
import { text, valueOf, whole, wrongValue, yes } from "../../../base/flag.ts";
import { verb } from "../../../base/verb.ts";
import { clusterKillRounds } from "./cluster-rounds.ts";
import { fileRounds, serviceRounds } from "./ground/ground.ts";
import { linesOf, summary, type Reckoning } from "./reckoning.ts";
import { killRounds } from "./rounds.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export default verb({
  flags: {
    rounds: whole("--rounds <N>", "number of rounds").or(20),
    seed: whole("--seed <N>", "repeats the choices of an earlier run", { least: 0 }),
    ground: yes(
      "--ground",
      "instead of kills, faults beneath the server: locks, files and the disk of SQLite; Postgres and Redis with --database",
    ),
    database: valueOf(
      "--database <URL>",
      "three servers on this Postgres, behind nginx, instead of one on SQLite; in a schema of its own",
      (text, name) =>
        /^postgres(ql)?:\/\//.test(text)
          ? text
          : wrongValue(name, "a Postgres address, such as postgres://postgres@127.0.0.1:5432/test", text),
    ),
    redis: text("--redis <URL>", "the Redis of these servers").or("redis://127.0.0.1:6379"),
  },
  about:
    "Kills servers, or takes their ground away, at every step of a Call and at random, and compares the answers to their clients with the accounts.",
  async run({ rounds, seed = randomInt(2 ** 32), ground, database, redis }) {
    say(`seed ${seed}`);
    const reckoned = (reckoning: Reckoning): void => say(linesOf(reckoning));
    const how = { rounds, seed };
    const shared = database === undefined ? null : { databaseUrl: database, redisUrl: redis };
    const all = ground
      ? await (shared === null ? fileRounds(how, reckoned, say) : serviceRounds({ ...how, shared }, reckoned))
      : await (shared === null ? killRounds(how, reckoned) : clusterKillRounds({ ...how, shared }, reckoned));
    say(summary(all));
    return all.some(({ broken }) => broken.length > 0) ? 1 : 0;
  },
});
