import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { temporarySchema } from "../../../reference-server/storage/temporary.fixture.ts";
import type { Bench, Figure } from "./figure.ts";
import { paidCalls } from "./requests.ts";
import { alternate, medianThroughput, shareOf, type Loaded, type Round } from "./rounds.ts";
import { openAccounts, withProcesses, type Running } from "./running.ts";
import { asItIs } from "./variants.ts";

/** The numbers of processes that serve at the same time. */
const groups = [1, 2, 4] as const;
const accounts = 1_000;
const kinds = ["durable", "nothing"] as const;

/** Paid calls of some accounts, on some processes with books of a kind. */
const caseOf = (load: string, count: number, kind: (typeof kinds)[number]): string =>
  `${load} ${count} ${kind}`;

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
    say(`Postgres: ${groups.join(", ")} processes, ${accounts} accounts and one`);
    const { url: databaseUrl, remove } = await temporarySchema(database);
    try {
      return await withTemporaryFolder((folder) =>
        withProcesses(async (start) => {
          const keys = await openAccounts(folder, accounts, databaseUrl);
          const loads = {
            [`${accounts} accounts`]: paidCalls(keys),
            "one hot account": paidCalls(keys.slice(0, 1)),
          };
          const loaded: Record<string, Loaded> = {};
          for (const books of kinds) {
            const running: Running[] = [];
            for (const count of groups) {
              while (running.length < count)
                running.push(
                  await start.server(`${folder}/${books}-${running.length}`, {
                    ...asItIs,
                    books,
                    databaseUrl,
                  }),
                );
              for (const [load, requests] of Object.entries(loads))
                loaded[caseOf(load, count, books)] = { servers: [...running], requests };
            }
          }
          const measured = await alternate(loaded, rounds);
          return Object.keys(loads).flatMap((load) => figuresOf(load, measured));
        }),
      );
    } finally {
      await remove();
    }
  },
};

function figuresOf(load: string, measured: Readonly<Record<string, Round[]>>): Figure[] {
  const of = (count: number, kind: (typeof kinds)[number]): Round[] => measured[caseOf(load, count, kind)]!;
  const shares = groups.map((count): Figure => {
    const [durable, nothing] = [of(count, "durable"), of(count, "nothing")];
    return {
      name: `Postgres, ${load}, ${count === 1 ? "1 process" : `${count} processes`}`,
      says: "paid calls, of those of the same processes with books that keep nothing",
      ...shareOf(durable, nothing),
      unit: "ratio",
      target: null,
      measured: {
        durable_calls_per_second: medianThroughput(durable),
        nothing_calls_per_second: medianThroughput(nothing),
      },
    };
  });
  const growth = groups.slice(1).map((count): Figure => {
    return {
      name: `Postgres, ${load}, ${count} against 1`,
      says: "paid calls of as many processes, as a multiple of those of one",
      ...shareOf(of(count, "durable"), of(1, "durable")),
      unit: "ratio",
      target: null,
      measured: { nothing_grows_by: shareOf(of(count, "nothing"), of(1, "nothing")).value },
    };
  });
  return [...shares, ...growth];
}
