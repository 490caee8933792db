import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import { ledgerColumns, type LedgerRow } from "../records.ts";
import type { History } from "./history.ts";
import { type LedgerEntryBody, ledgerEntryBody } from "./ledger-entry.ts";
import { type LedgerFilter, rollupsCover, selectsAll, whereLedger, whereRollups } from "./ledger-filter.ts";
import { plainColumns, type Read, rowsOf } from "./rows.ts";
import type { Sized, Summary } from "./summary.ts";
import type { Measure, Tally } from "./tally.ts";

/** Absolute micro-credits. A rollup has one entry type, and so one sign. */
const figures = {
  entry_count: { count: "1 = 1" },
  consume_count: { count: "amount < 0" },
  consumed: { sum: "CASE WHEN amount < 0 THEN -amount ELSE 0 END" },
  granted: { sum: "CASE WHEN amount > 0 THEN amount ELSE 0 END" },
} as const satisfies Record<string, Measure>;
type Figure = keyof typeof figures;

const entries = rowsOf<Read<LedgerRow>>("ledger_entries", plainColumns(ledgerColumns));

/** The ledger entries of an account. */
export const ledger: History<LedgerFilter, Read<LedgerRow>, LedgerEntryBody, Figure> & Sized<Figure> = {
  feed: "settlements",
  table: "ledger_entries",
  rollups: "ledger_rollups",
  counter: "entry_count",
  total: "entry_count",
  figures,
  rows: () => entries,
  whereRows: whereLedger,
  whereRollups,
  rollupsCover,
  show: ledgerEntryBody,
  selectsAll,
  size: "abs(amount)",
  wherePositive: (rows) => rows,
  countPositive: (total) => total.entry_count,
};

/** The fields shared by a summary and its buckets. */
const shared = (tally: Tally<Figure>) => ({
  consume_count: tally.consume_count,
  grant_count: tally.entry_count - tally.consume_count,
  consumed_credits: credits(tally.consumed),
  granted_credits: credits(tally.granted),
  net_amount_credits: credits(tally.granted - tally.consumed),
});

/** A ledger summary in the contract's form (Ledger summary object). */
export const ledgerSummaryBody = ({
  head,
  total,
  largest,
  buckets,
}: Summary<LedgerEntryBody, Figure>): components["schemas"]["LedgerSummary"] => ({
  ...head,
  total_entries: total.entry_count,
  ...shared(total),
  max_amount_items: largest,
  buckets: buckets.map(({ bucket_start, tally }) => ({
    bucket_start,
    entry_count: tally.entry_count,
    ...shared(tally),
  })),
});
