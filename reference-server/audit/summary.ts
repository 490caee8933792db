import type { Knex } from "knex";
import type { Bucket } from "../../generated/contract.ts";
import { automaticBucket } from "./buckets.ts";
import { type History, newestFirst, placesOf } from "./history.ts";
import { whereInScope, type AccountScope } from "./rows.ts";
import { rangeOf, type Range } from "./hours.ts";
import { shownRows } from "./kept-rows.ts";
import { countByBucket, sum, type Tally } from "./tally.ts";
import { instantText, summaryWindow, timestamp, type Window } from "./window.ts";

/** The samples of a summary: the largest rows. */
export interface Sized<Figure extends string> {
  /** SQL for the size of a row: an indexed amount. */
  size: "settled_amount" | "abs(amount)";
  /** Narrows to rows of positive size; usable with the index on time. */
  wherePositive(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** The number of rows of positive size. */
  countPositive(total: Tally<Figure>): number;
}

/** A summary of a history, before it is put in the contract's form. */
export interface Summary<Shown, Figure extends string> {
  head: { start_date: string; end_date: string; bucket: Bucket };
  total: Tally<Figure>;
  largest: Shown[];
  /** Oldest first, without empty buckets. */
  buckets: { bucket_start: string; tally: Tally<Figure> }[];
}

/** Summarizes what a filter selects in its window (contract: Usage summary object, Ledger summary object). */
export async function summarize<
  Filter extends { window: Window },
  Row extends { created_at: number; seq: number },
  Shown extends object,
  Figure extends string,
>(
  history: History<Filter, Row, Shown, Figure> & Sized<Figure>,
  scope: AccountScope,
  filter: Filter,
  options: { bucket: Bucket | undefined; samples: number; details: boolean; now: number },
): Promise<Summary<Shown, Figure>> {
  const { start, end } = filter.window;
  const first = !start && end ? await firstRow(history, scope) : null;
  const window = summaryWindow(filter.window, options.now, first);
  const bucket = options.bucket ?? automaticBucket(window);
  const range = rangeOf(window);
  const tallies = await countByBucket(history, scope, filter, range, bucket);
  const total = sum(history.figures, tallies.values());
  const all = history.whereRows(placesOf(history, scope), filter);
  const positive = history.countPositive(total);
  const largest = await largestNumbers(all, history, scope, range, positive, options.samples);
  return {
    head: { start_date: instantText(window.start), end_date: instantText(window.end), bucket },
    total,
    largest: await shownRows(history, scope, largest, options.details),
    buckets: [...tallies]
      .sort(([one], [other]) => one - other)
      .map(([begin, tally]) => ({ bucket_start: timestamp(begin), tally })),
  };
}

/** Epoch ms of the account's first row; null when it has none. */
async function firstRow(
  { table }: { table: string },
  { database, accountId }: AccountScope,
): Promise<number | null> {
  const rows: { created_at: number }[] = await database(table)
    .select("created_at")
    .where("account_id", accountId)
    .orderBy("created_at")
    .limit(1);
  return rows[0]?.created_at ?? null;
}

/** Up to this many rows are sorted by size; for more, the index on size is walked. */
const sortable = 5_000;

/**
 * The numbers of the largest rows, the newer first if sizes are equal. `+ 0` keeps the database from the wrong index.
 * For few rows that is the one on size, which it would walk through the whole history. For many it is the one on time,
 * whose rows it would have to sort.
 */
async function largestNumbers(
  rows: Knex.QueryBuilder,
  { size, wherePositive }: Sized<never>,
  { accountId }: AccountScope,
  range: Range,
  expected: number,
  samples: number,
): Promise<number[]> {
  if (expected === 0) return [];
  if (expected <= sortable) {
    wherePositive(whereInScope(rows, accountId, range));
    newestFirst(rows.orderByRaw(`${size} + 0 DESC`));
  } else {
    rows.where("account_id", accountId).whereRaw(`${size} > 0`);
    if (range.from !== null) rows.whereRaw("created_at + 0 >= ?", [range.from]);
    if (range.to !== null) rows.whereRaw("created_at + 0 <= ?", [range.to]);
    rows.orderByRaw(`${size} DESC, seq DESC`);
  }
  return ((await rows.limit(samples)) as { seq: number }[]).map(({ seq }) => seq);
}
