import type { Knex } from "knex";
import type { Position } from "./cursor.ts";
import type { Range } from "./hours.ts";

/** Narrows a query over events or entries to one account and a range of time. */
export function whereOwn(rows: Knex.QueryBuilder, accountId: string, { from, to }: Range): Knex.QueryBuilder {
  rows.where("account_id", accountId);
  if (from !== null) rows.where("created_at", ">=", from);
  if (to !== null) rows.where("created_at", "<=", to);
  return rows;
}

/**
 * The same, newest first, from a position on: after the row of the position where there is one. A position replaces
 * the end of the range where it is earlier, so that the index is entered at the position however deep it lies.
 */
export function whereOwnFrom(
  rows: Knex.QueryBuilder,
  accountId: string,
  range: Range,
  position: Position | null,
): Knex.QueryBuilder {
  const beyond = position && (range.to === null || position.createdAt <= range.to);
  whereOwn(rows, accountId, { from: range.from, to: beyond ? null : range.to });
  if (beyond) rows.whereRaw("(created_at, seq) < (?, ?)", [position.createdAt, position.seq]);
  return newestFirst(rows);
}

/** In reverse chronological order. */
export const newestFirst = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.orderBy([
    { column: "created_at", order: "desc" },
    { column: "seq", order: "desc" },
  ]);

/**
 * Rows that an export holds in memory at once. Few, so that they die young: of pages of 1,000 the collector kept so much
 * that a million events made the process grow by 230 MB, of pages of 50 by about 30.
 */
export const exportPageSize = 50;

/** All pages of a keyset walk, each read when it is asked for. */
export async function* keysetPages<Row extends { created_at: number; seq: number }>(
  size: number,
  read: (position: Position | null, size: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void, undefined> {
  let position: Position | null = null;
  for (;;) {
    const rows: Row[] = await read(position, size);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < size) return;
    position = { createdAt: last.created_at, seq: last.seq };
  }
}
