import type { Knex } from "knex";
import { type Bucket, bucketSql, bucketStarts } from "./buckets.ts";
import { type Range, splitHours } from "./hours.ts";
import { whereOwn } from "./own-rows.ts";
import type { BoundedWindow } from "./window.ts";

/** Counts and sums, by name. */
export type Tally<Name extends string> = Record<Name, number>;

/** How one kind of record is counted: from its rows, and from its hourly rollups. */
export interface Counted<Name extends string> {
  table: "usage_events" | "ledger_entries";
  rollups: "usage_rollups" | "ledger_rollups";
  /** SQL of each figure over rows. */
  overRows: Record<Name, string>;
  /** SQL of each figure over rollups. */
  overRollups: Record<Name, string>;
}

/** What is counted: one account's records in a range of time, narrowed by the filter of a query. */
export interface Selection {
  accountId: string;
  range: Range;
  whereRows(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** Null where the rollups do not keep apart what the filter asks for. */
  whereRollups: ((rollups: Knex.QueryBuilder) => Knex.QueryBuilder) | null;
}

/** Sums over rows of figures; Postgres answers sums as text. */
function add<Name extends string>(
  tallies: Map<number, Tally<Name>>,
  names: Name[],
  figures: unknown[],
): void {
  for (const row of figures as (Record<Name, unknown> & { bucket: unknown })[]) {
    const key = Number(row.bucket);
    const tally = tallies.get(key);
    const added = names.map((name) => [name, (tally?.[name] ?? 0) + Number(row[name])]);
    tallies.set(key, Object.fromEntries(added) as Tally<Name>);
  }
}

/** Whether the account has any record in the range, both ends inclusive. */
const anyBetween = (database: Knex, table: string, accountId: string) => async (from: number, to: number) =>
  (await whereOwn(database(table).select("seq"), accountId, { from, to }).limit(1)).length > 0;

/**
 * Counts a selection by bucket (one bucket, 0, when it is null); a bucket without records is left out. Whole hours come
 * from the rollups where they cover the filter, the edges of the range from the rows.
 */
export async function tallyByBucket<Name extends string>(
  database: Knex,
  counted: Counted<Name>,
  { accountId, range, whereRows, whereRollups }: Selection,
  bucket: Bucket | null,
): Promise<Map<number, Tally<Name>>> {
  const names = Object.keys(counted.overRows) as Name[];
  const figures = (sql: Record<Name, string>): string =>
    names.map((name) => `COALESCE(SUM(${sql[name]}), 0) AS ${name}`).join(", ");
  const split = whereRollups
    ? await splitHours(range, anyBetween(database, counted.table, accountId))
    : { hours: null, scans: [range] };
  const tallies = new Map<number, Tally<Name>>();
  if (split.hours && whereRollups) {
    const { from, to } = split.hours;
    const rollups = database(counted.rollups)
      .select(database.raw(`${bucketSql(bucket, "hour")} AS bucket, ${figures(counted.overRollups)}`))
      .where("account_id", accountId);
    if (bucket) rollups.groupByRaw("1");
    if (from !== null) rollups.where("hour", ">=", from);
    if (to !== null) rollups.where("hour", "<=", to);
    add(tallies, names, await whereRollups(rollups));
  }
  for (const scan of split.scans) {
    const rows = database(counted.table).select(
      database.raw(`${bucketSql(bucket, "created_at")} AS bucket, ${figures(counted.overRows)}`),
    );
    if (bucket) rows.groupByRaw("1");
    add(tallies, names, await whereRows(whereOwn(rows, accountId, scan)));
  }
  return tallies;
}

/** The sum of tallies, zero in every figure when there is none. */
export function sum<Name extends string>(names: Name[], tallies: Iterable<Tally<Name>>): Tally<Name> {
  const total = Object.fromEntries(names.map((name) => [name, 0])) as Tally<Name>;
  for (const tally of tallies) for (const name of names) total[name] += tally[name];
  return total;
}

/** Counts a selection as a whole. */
export async function tallyWhole<Name extends string>(
  database: Knex,
  counted: Counted<Name>,
  selection: Selection,
): Promise<Tally<Name>> {
  const tallies = await tallyByBucket(database, counted, selection, null);
  return sum(Object.keys(counted.overRows) as Name[], tallies.values());
}

/** All buckets of the window in order, with zeros where there are no records. */
export function filled<Name extends string>(
  names: Name[],
  tallies: Map<number, Tally<Name>>,
  bucket: Bucket,
  window: BoundedWindow,
): { start: number; tally: Tally<Name> }[] {
  const known = [...tallies.keys()];
  const records =
    known.length > 0
      ? {
          first: known.reduce((least, start) => Math.min(least, start)),
          last: known.reduce((most, start) => Math.max(most, start)),
        }
      : null;
  return bucketStarts(bucket, window, records).map((start) => ({
    start,
    tally: tallies.get(start) ?? sum(names, []),
  }));
}
