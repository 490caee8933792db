import type { Knex } from "knex";
import { newestFirst, whereOwn } from "./own-rows.ts";
import type { Range } from "./hours.ts";

/** Up to this many rows are sorted by size; more are walked in the order of the index on size. */
const sortable = 5_000;

/** What to find the largest of. */
export interface LargestOf {
  accountId: string;
  range: Range;
  /** SQL of the size: an indexed, positive amount. */
  size: "settled_amount" | "abs(amount)";
  /** Column and values that every row with a positive size has; null where every row has one. */
  within: [column: string, values: string[]] | null;
  /** How many rows there are in the range, as counted before. */
  expected: number;
  /** Most rows to answer. */
  samples: number;
}

/**
 * The rows of greatest size, the newer first where sizes are equal. `+ 0` keeps the database from the index that
 * does not serve: for few rows the one on size, which it would walk through the whole history; for many the one on
 * time, from which it would have to sort them all.
 */
export async function largest(
  rows: Knex.QueryBuilder,
  { accountId, range, size, within, expected, samples }: LargestOf,
) {
  if (expected === 0) return [];
  if (expected <= sortable) {
    whereOwn(rows, accountId, range);
    if (within) rows.whereIn(...within);
    return newestFirst(rows.orderByRaw(`${size} + 0 DESC`)).limit(samples);
  }
  rows.where("account_id", accountId).whereRaw(`${size} > 0`);
  if (range.from !== null) rows.whereRaw("created_at + 0 >= ?", [range.from]);
  if (range.to !== null) rows.whereRaw("created_at + 0 <= ?", [range.to]);
  return rows.orderByRaw(`${size} DESC, seq DESC`).limit(samples);
}
