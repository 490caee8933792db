import type { Knex } from "knex";
import type { Bucket } from "../../generated/contract.ts";
import { bucketSql } from "./buckets.ts";
import { whereInScope, type AccountScope } from "./rows.ts";
import { type Range, rangeOf, splitHours } from "./hours.ts";
import type { Window } from "./window.ts";

/** Counts and sums, by name. */
export type Tally<Figure extends string> = Record<Figure, number>;

/** A figure of a summary: the number of rows that meet a condition, or the sum of an expression over the rows. */
export type Measure = { count: string } | { sum: string };

/** Rows that can be counted directly, or by the hour from their rollups. */
export interface Counted<Filter extends { window: Window }, Figure extends string> {
  table: "usage_events" | "ledger_entries";
  rollups: "usage_rollups" | "ledger_rollups";
  /** The column of the rollups that counts rows. */
  counter: "event_count" | "entry_count";
  /** SQL over columns that rows and rollups share. */
  figures: Record<Figure, Measure>;
  /** Applies the filter, except its window, to a query of rows. */
  whereRows(rows: Knex.QueryBuilder, filter: Filter): Knex.QueryBuilder;
  /** The same for rollups; only if they distinguish everything that the filter selects by. */
  whereRollups(rollups: Knex.QueryBuilder, filter: Filter): Knex.QueryBuilder;
  rollupsCover(filter: Filter): boolean;
}

/** The columns of a counting query. @param count SQL for the number of rows that one row stands for */
function columns(
  figures: Record<string, Measure>,
  bucket: Bucket | null,
  time: "created_at" | "hour",
  count: string,
) {
  const sql = (measure: Measure): string =>
    "sum" in measure ? measure.sum : `CASE WHEN ${measure.count} THEN ${count} ELSE 0 END`;
  const sums = Object.entries(figures).map(([name, each]) => `COALESCE(SUM(${sql(each)}), 0) AS ${name}`);
  return [`${bucketSql(bucket, time)} AS bucket`, ...sums].join(", ");
}

/**
 * Counts the rows of an account in a range that a filter selects, by bucket (a single bucket 0 if it is null); empty
 * buckets are left out. Whole hours come from the rollups if they cover the filter, the edges of the range from the
 * rows.
 */
export async function countByBucket<Filter extends { window: Window }, Figure extends string>(
  counted: Counted<Filter, Figure>,
  { database, accountId }: AccountScope,
  filter: Filter,
  range: Range,
  bucket: Bucket | null,
): Promise<Map<number, Tally<Figure>>> {
  const { table, rollups, counter, figures } = counted;
  const anyBetween = async (from: number, to: number): Promise<boolean> =>
    (await whereInScope(database(table).select("seq"), accountId, { from, to }).limit(1)).length > 0;
  const { hours, scans } = counted.rollupsCover(filter)
    ? await splitHours(range, anyBetween)
    : { hours: null, scans: [range] };
  const tallies = new Map<number, Tally<Figure>>();
  const add = async (query: Knex.QueryBuilder): Promise<void> => {
    if (bucket) query.groupByRaw("1");
    for (const { bucket: start, ...added } of (await query) as (Tally<Figure> & { bucket: number })[]) {
      const tally = added as unknown as Tally<Figure>;
      const known = tallies.get(Number(start));
      tallies.set(Number(start), sum(figures, known ? [known, tally] : [tally]));
    }
  };
  if (hours) {
    const query = database(rollups)
      .select(database.raw(columns(figures, bucket, "hour", counter)))
      .where("account_id", accountId);
    if (hours.from !== null) query.where("hour", ">=", hours.from);
    if (hours.to !== null) query.where("hour", "<=", hours.to);
    await add(counted.whereRollups(query, filter));
  }
  for (const scan of scans) {
    const query = database(table).select(database.raw(columns(figures, bucket, "created_at", "1")));
    await add(counted.whereRows(whereInScope(query, accountId, scan), filter));
  }
  return tallies;
}

/** The sum of some tallies; all zeros if there are none. Postgres returns sums as text. */
export function sum<Figure extends string>(
  figures: Record<Figure, unknown>,
  tallies: Iterable<Tally<Figure>>,
): Tally<Figure> {
  const names = Object.keys(figures) as Figure[];
  const total = Object.fromEntries(names.map((name) => [name, 0])) as Tally<Figure>;
  for (const tally of tallies) for (const name of names) total[name] += Number(tally[name]);
  return total;
}

/** A query for the number of rows of an account that a filter selects, if the rollups suffice for it; else null. */
export function rolledUpNumber<Filter extends { window: Window }>(
  counted: Counted<Filter, string>,
  { database, accountId }: AccountScope,
  filter: Filter,
): Knex.QueryBuilder | null {
  const { from, to } = rangeOf(filter.window);
  if (from !== null || to !== null || !counted.rollupsCover(filter)) return null;
  const query = database(counted.rollups).sum(counted.counter).where("account_id", accountId);
  return counted.whereRollups(query, filter);
}

/** Counts everything of an account that a filter selects. */
export async function countWhole<Filter extends { window: Window }, Figure extends string>(
  counted: Counted<Filter, Figure>,
  scope: AccountScope,
  filter: Filter,
): Promise<Tally<Figure>> {
  const tallies = await countByBucket(counted, scope, filter, rangeOf(filter.window), null);
  return sum(counted.figures, tallies.values());
}
