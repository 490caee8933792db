import type { Knex } from "knex";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import type { LedgerRow } from "../storage/rows.ts";
import { automaticBucket, type Bucket } from "./buckets.ts";
import type { Position } from "./cursor.ts";
import { rangeOf } from "./hours.ts";
import { largest } from "./largest.ts";
import { type LedgerEntryBody, ledgerEntryBody } from "./ledger-entry.ts";
import {
  coveredByLedgerRollups,
  type LedgerFilter,
  whereLedger,
  whereLedgerRollups,
} from "./ledger-filter.ts";
import { exportPageSize, keysetPages, newestFirst, whereOwn, whereOwnFrom } from "./own-rows.ts";
import { type Paging, totalOfPage } from "./paging.ts";
import { type Counted, filled, type Selection, sum, tallyByBucket, tallyWhole } from "./tally.ts";
import { instantText, summaryWindow, timestamp, type Window } from "./window.ts";

const names = ["entry_count", "consume_count", "consumed", "granted"] as const;
type Name = (typeof names)[number];

const movements = (count: string) => ({
  entry_count: count,
  consume_count: `CASE WHEN amount < 0 THEN ${count} ELSE 0 END`,
  consumed: "CASE WHEN amount < 0 THEN -amount ELSE 0 END",
  granted: "CASE WHEN amount > 0 THEN amount ELSE 0 END",
});

/** What a ledger summary counts; amounts are absolute micro-credits. A rollup has one entry type, so one sign. */
export const summarizedEntries: Counted<Name> = {
  table: "ledger_entries",
  rollups: "ledger_rollups",
  overRows: movements("1"),
  overRollups: movements("entry_count"),
};

/** What a ledger filter selects of an account, to be counted. */
export const ledgerSelection = (
  accountId: string,
  filter: LedgerFilter,
  window: Window = filter.window,
): Selection => ({
  accountId,
  range: rangeOf(window),
  whereRows: (rows) => whereLedger(rows, filter),
  whereRollups: coveredByLedgerRollups(filter) ? (rollups) => whereLedgerRollups(rollups, filter) : null,
});

/** One page of an account's entries, newest first, and how many match in all. */
export async function ledgerPage(
  database: Knex,
  accountId: string,
  filter: LedgerFilter,
  paging: Paging,
): Promise<{ items: LedgerEntryBody[]; total: number }> {
  const query = whereLedger(
    whereOwn(database("ledger_entries").select("*"), accountId, rangeOf(filter.window)),
    filter,
  );
  const rows: LedgerRow[] = await newestFirst(query).limit(paging.pageSize).offset(paging.offset);
  const total =
    totalOfPage(paging, rows.length) ??
    (await tallyWhole(database, summarizedEntries, ledgerSelection(accountId, filter))).entry_count;
  return { items: rows.map(ledgerEntryBody), total };
}

/** At most `size` of an account's entries after a position, newest first. */
export async function ledgerAfter(
  database: Knex,
  accountId: string,
  filter: LedgerFilter,
  position: Position | null,
  size: number,
): Promise<LedgerRow[]> {
  const entries = database("ledger_entries").select("*").limit(size);
  return whereLedger(whereOwnFrom(entries, accountId, rangeOf(filter.window), position), filter);
}

/** One entry of the account; undefined where it has none of this id. */
export async function ledgerEntry(
  database: Knex,
  accountId: string,
  id: string,
): Promise<LedgerEntryBody | undefined> {
  if (id.includes("\0")) return undefined;
  const rows: LedgerRow[] = await database("ledger_entries").select("*").where({ id, account_id: accountId });
  return rows.map(ledgerEntryBody)[0];
}

async function firstEntry(database: Knex, accountId: string): Promise<number | null> {
  const rows: { created_at: number }[] = await database("ledger_entries")
    .select("created_at")
    .where("account_id", accountId)
    .orderBy("created_at")
    .limit(1);
  return rows[0]?.created_at ?? null;
}

/** The summary of the entries that a filter selects in its window (contract: Ledger summary object). */
export async function ledgerSummary(
  database: Knex,
  accountId: string,
  filter: LedgerFilter,
  options: { bucket: Bucket | undefined; samples: number; now: number },
): Promise<components["schemas"]["LedgerSummary"]> {
  const { start, end } = filter.window;
  const first = !start && end ? await firstEntry(database, accountId) : null;
  const window = summaryWindow(filter.window, options.now, first);
  const bucket = options.bucket ?? automaticBucket(window);
  const selection = ledgerSelection(accountId, filter, window);
  const tallies = await tallyByBucket(database, summarizedEntries, selection, bucket);
  const total = sum([...names], tallies.values());
  const amounts: LedgerRow[] = await largest(whereLedger(database("ledger_entries").select("*"), filter), {
    accountId,
    range: rangeOf(window),
    size: "abs(amount)",
    within: null,
    expected: total.entry_count,
    samples: options.samples,
  });
  return {
    start_date: instantText(window.start),
    end_date: instantText(window.end),
    bucket,
    total_entries: total.entry_count,
    consume_count: total.consume_count,
    grant_count: total.entry_count - total.consume_count,
    consumed_credits: credits(total.consumed),
    granted_credits: credits(total.granted),
    net_amount_credits: credits(total.granted - total.consumed),
    max_amount_items: amounts.map(ledgerEntryBody),
    buckets: filled([...names], tallies, bucket, window).map(({ start, tally }) => ({
      bucket_start: timestamp(start),
      entry_count: tally.entry_count,
      consume_count: tally.consume_count,
      grant_count: tally.entry_count - tally.consume_count,
      consumed_credits: credits(tally.consumed),
      granted_credits: credits(tally.granted),
      net_amount_credits: credits(tally.granted - tally.consumed),
    })),
  };
}

/** Everything that a filter selects, page by page, newest first, for an export. */
export async function* exportedEntries(
  database: Knex,
  accountId: string,
  filter: LedgerFilter,
): AsyncGenerator<LedgerEntryBody[], void, undefined> {
  const pages = keysetPages(exportPageSize, (position, size) =>
    ledgerAfter(database, accountId, filter, position, size),
  );
  for await (const rows of pages) yield rows.map(ledgerEntryBody);
}
