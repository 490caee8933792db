import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import type { Bench } from "./figure.ts";
import { paidCalls } from "./requests.ts";
import { alternate, connections, medianThroughput, shareOf, type Loaded } from "./rounds.ts";
import { openAccounts, withProcesses } from "./running.ts";
import { asItIs, type Variant } from "./variants.ts";

const accounts = 8;
const kinds = ["durable", "alone", "nothing"] as const satisfies Variant["books"][];

/** Paid Calls with durable settlement, compared with a server whose books store nothing. */
export const paidCallsBench: Bench = {
  name: "paid-calls",
  run: ({ rounds, say }) =>
    withTemporaryFolder((folder) =>
      withProcesses(async (start) => {
        say("paid calls: durable books, one transaction for each write, books that keep nothing");
        const loaded = {} as Record<(typeof kinds)[number], Loaded>;
        for (const books of kinds) {
          const keys = await openAccounts(`${folder}/${books}`, accounts);
          const server = await start.server(`${folder}/${books}`, { ...asItIs, books });
          loaded[books] = { servers: [server], requests: paidCalls(keys) };
        }
        const of = await alternate(loaded, rounds);
        const measured = Object.fromEntries(
          kinds.map((books) => [`${books}_calls_per_second`, medianThroughput(of[books])]),
        );
        return [
          {
            name: "paid calls, durable",
            says: `of the calls of the same server with books that keep nothing, ${connections} connections`,
            ...shareOf(of.durable, of.nothing),
            unit: "ratio",
            target: { kind: "least", value: 0.5 },
            measured,
          },
          {
            name: "paid calls, one transaction for each write",
            says: "what the same would be without group commit",
            ...shareOf(of.alone, of.nothing),
            unit: "ratio",
            target: null,
            measured,
          },
        ];
      }),
    ),
};
