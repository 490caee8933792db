import { amountOf, type Row } from "../judge/rows.ts";
import type { Located } from "../judge/answer.ts";
import type { Summary } from "./summary.ts";

const moved = (entry: Row | Located): number => amountOf(entry) ?? 0;

const count = { kind: "count", type: "LSUM-02", bucketType: "LSUM-10", adds: "LSUM-11" } as const;
const byAmount = { by: "amount_credits", shownAs: ["amount_credits"] } as const;
const credits = { ...byAmount, kind: "credits", bucketType: "LSUM-10", adds: "LSUM-12" } as const;

/** A figure that buckets have under the same name. */
const named = (path: string) => ({ path, inBucket: path });

/** The summary of ledger entries. */
export const ledgerSummary: Summary = {
  list: "listLedger",
  row: "entry",
  figures: [
    { ...count, path: "total_entries", inBucket: "entry_count", follows: "LSUM-03", of: [() => 1] },
    {
      ...count,
      ...byAmount,
      ...named("consume_count"),
      follows: "LSUM-04",
      of: [(entry) => Number(moved(entry) < 0)],
    },
    {
      ...count,
      ...byAmount,
      ...named("grant_count"),
      follows: "LSUM-04",
      of: [(entry) => Number(moved(entry) > 0)],
    },
    {
      ...credits,
      ...named("consumed_credits"),
      type: "LSUM-05",
      follows: "LSUM-05",
      of: [(entry) => Math.max(0, -moved(entry))],
      from: ["consume_count"],
    },
    {
      ...credits,
      ...named("granted_credits"),
      type: "LSUM-06",
      follows: "LSUM-06",
      of: [(entry) => Math.max(0, moved(entry))],
      from: ["grant_count"],
    },
    {
      ...credits,
      ...named("net_amount_credits"),
      kind: "signed credits",
      type: "LSUM-07",
      follows: "LSUM-07",
      of: [moved],
      from: ["entry_count"],
    },
  ],
  parts: [{ clause: "LSUM-02", paths: ["consume_count", "grant_count"] }],
  samples: {
    path: "max_amount_items",
    amount: (item) => (amountOf(item) === undefined ? undefined : Math.abs(moved(item))),
    count: "LSUM-09",
    largest: "LSUM-08",
  },
  window: "LSUM-01",
  buckets: "LSUM-10",
  spans: "LSUM-13",
  defaultWindow: "LSUM-14",
  defaultBucket: "LSUM-15",
  bucket: "LSUM-16",
  filters: "LSUM-17",
  lastMonth: "LSUM-11",
};
