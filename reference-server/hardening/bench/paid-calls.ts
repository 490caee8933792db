import { alternateVariants, connections } from "./alternate.ts";
import type { Bench } from "./figure.ts";
import { paidCalls } from "./requests.ts";
import { medianThroughput, shareOf } from "./rounds.ts";
import { asItIs } from "./variants.ts";

/** Paid Calls with durable settlement, compared with a server whose books store nothing. */
export const paidCallsBench: Bench = {
  name: "paid-calls",
  async run({ rounds, say }) {
    say("paid calls: durable books, books that keep nothing, one transaction for each write");
    const { durable, nothing, alone } = await alternateVariants(
      {
        durable: asItIs,
        nothing: { ...asItIs, books: "nothing" },
        alone: { ...asItIs, books: "alone" },
      },
      paidCalls,
      rounds,
    );
    const measured = {
      durable_calls_per_second: medianThroughput(durable),
      keeping_nothing_calls_per_second: medianThroughput(nothing),
      one_transaction_each_calls_per_second: medianThroughput(alone),
    };
    return [
      {
        name: "paid calls, durable",
        says: `of the calls of the same server with books that keep nothing, ${connections} connections`,
        ...shareOf(durable, nothing),
        unit: "ratio",
        target: { kind: "least", value: 0.5 },
        measured,
      },
      {
        name: "paid calls, one transaction for each write",
        says: "what the same would be without group commit",
        ...shareOf(alone, nothing),
        unit: "ratio",
        target: null,
        measured,
      },
    ];
  },
};
