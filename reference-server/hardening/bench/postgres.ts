import { micro } from "../../billing/money.ts";
import { openDataFolder } from "../../parts-default.ts";
import { temporarySchema } from "../../storage/temporary.fixture.ts";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { benchConfig } from "./config.ts";
import type { Bench, Figure } from "./figure.ts";
import { paidCalls } from "./requests.ts";
import {
  load,
  medianThroughput,
  roundSeconds,
  shareOf,
  warmUpSeconds,
  type Loaded,
  type Round,
} from "./rounds.ts";
import { run, wealth, type Running } from "./running.ts";
import { asItIs } from "./variants.ts";

/** The numbers of processes that serve at the same time. */
const groups = [1, 2, 4] as const;
const mostProcesses = 4;

/** Connections of a load, shared by all processes. */
const connections = 32;

const accounts = 1_000;

type Kind = "durable" | "nothing";
type Load = "1000 accounts" | "one hot account";

/** Opens accounts with credits and returns one key of each. */
async function openAccounts(folder: string, databaseUrl: string): Promise<string[]> {
  const { accounts: opened, books, storage } = await openDataFolder(benchConfig(folder, databaseUrl));
  try {
    return await Promise.all(
      Array.from({ length: accounts }, async (_, index) => {
        const { id } = await opened.create({ name: `bench ${index}`, email: null });
        const grant = { entryType: "grant_payment_recharge", description: "bench" } as const;
        await books.move({ accountId: id, amount: micro(wealth), ...grant });
        return (await opened.addKey(id, "bench")).apiKey;
      }),
    );
  } finally {
    await storage.close();
  }
}

/** Loads several processes at once, with the connections shared among them; returns their joint throughput. */
async function loadTogether(
  servers: readonly Running[],
  requests: Loaded["requests"],
  seconds: number,
  round: number,
): Promise<Round> {
  const each = await Promise.all(
    servers.map(({ baseUrl, cpu }, index) =>
      load({ baseUrl, cpu, requests }, connections / servers.length, seconds, round * mostProcesses + index),
    ),
  );
  const perSecond = each.reduce((sum, one) => sum + one.perSecond, 0);
  const cpuPerSecond = each.reduce(
    (sum, one) => sum + (one.perSecond === 0 ? 0 : one.perSecond / one.perCpuSecond),
    0,
  );
  return { perSecond, perCpuSecond: perSecond / cpuPerSecond };
}

/**
 * Paid Calls of several processes on one Postgres, compared with the same processes with books that store nothing: over
 * many accounts, and on one account that all calls use. Runs only where TEST_DATABASE_URL or DATABASE_URL names a
 * Postgres, in a schema of its own.
 */
export const postgresBench: Bench = {
  name: "postgres",
  async run({ rounds, say }) {
    const database = process.env["TEST_DATABASE_URL"] ?? process.env["DATABASE_URL"];
    if (database === undefined) {
      say("Postgres: skipped, since neither TEST_DATABASE_URL nor DATABASE_URL is set");
      return [];
    }
    say(
      `Postgres: ${groups.join(", ")} processes, ${accounts} accounts and one, books that keep nothing beside`,
    );
    const schema = await temporarySchema(database);
    try {
      return await withTemporaryFolder(async (folder) => {
        const keys = await openAccounts(folder, schema.url);
        const loads: Record<Load, Loaded["requests"]> = {
          "1000 accounts": paidCalls(keys),
          "one hot account": paidCalls(keys.slice(0, 1)),
        };
        const running: Record<Kind, Running[]> = { durable: [], nothing: [] };
        try {
          for (const kind of ["durable", "nothing"] as const) {
            for (let index = 0; index < mostProcesses; index += 1) {
              const variant = { ...asItIs, books: kind, databaseUrl: schema.url };
              running[kind].push(await run(`${folder}/${kind}-${index}`, variant));
            }
          }
          return await measure(running, loads, rounds);
        } finally {
          await Promise.all([...running.durable, ...running.nothing].map(({ stop }) => stop()));
        }
      });
    } finally {
      await schema.remove();
    }
  },
};

async function measure(
  running: Record<Kind, Running[]>,
  loads: Record<Load, Loaded["requests"]>,
  rounds: number,
): Promise<Figure[]> {
  const cases = (Object.keys(loads) as Load[]).flatMap((name) =>
    groups.flatMap((count) =>
      (["durable", "nothing"] as const).map((kind) => ({ name, count, kind, rounds: [] as Round[] })),
    ),
  );
  for (const servers of Object.values(running)) {
    await loadTogether(servers, loads["1000 accounts"], warmUpSeconds, 0);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of round % 2 === 0 ? cases : cases.toReversed()) {
      const servers = running[one.kind].slice(0, one.count);
      one.rounds.push(await loadTogether(servers, loads[one.name], roundSeconds, round));
    }
  }
  const of = (name: Load, count: number, kind: Kind): Round[] =>
    cases.find((one) => one.name === name && one.count === count && one.kind === kind)!.rounds;
  return (Object.keys(loads) as Load[]).flatMap((name): Figure[] => {
    const shares = groups.map((count): Figure => {
      const [durable, nothing] = [of(name, count, "durable"), of(name, count, "nothing")];
      return {
        name: `Postgres, ${name}, ${count === 1 ? "1 process" : `${count} processes`}`,
        says: "paid calls, of those of the same processes with books that keep nothing",
        ...shareOf(durable, nothing),
        unit: "ratio",
        target: null,
        measured: {
          durable_calls_per_second: medianThroughput(durable),
          keeping_nothing_calls_per_second: medianThroughput(nothing),
        },
      };
    });
    const growth = groups.slice(1).map((count): Figure => {
      const grown = (kind: Kind) => shareOf(of(name, count, kind), of(name, 1, kind));
      return {
        name: `Postgres, ${name}, ${count} against 1`,
        says: "paid calls of as many processes, as a multiple of those of one",
        ...grown("durable"),
        unit: "ratio",
        target: null,
        measured: {
          keeping_nothing_grows_by: grown("nothing").value,
          slowest_round: Math.round(
            Math.min(...of(name, count, "durable").map(({ perSecond }) => perSecond)),
          ),
        },
      };
    });
    return [...shares, ...growth];
  });
}
