import type { Knex } from "knex";
import { operations } from "../../generated/contract.ts";
import { Invalid } from "../http/errors.ts";
import { readScalar, readScalarTogether, type Scalar } from "../storage/scalars.ts";
import { whereInScope, type AccountScope, type Rows } from "./rows.ts";
import { inTurn } from "./turns.ts";
import { type Feed, type Position, readCursor, writeCursor } from "./cursor.ts";
import { rangeOf } from "./hours.ts";
import { shownRows } from "./kept-rows.ts";
import { type Place, totalOfPage } from "./paging.ts";
import { type Counted, countWhole, rolledUpNumber } from "./tally.ts";
import type { Window } from "./window.ts";

/** A row with a position in the order of time; `seq` orders rows of one millisecond. */
interface Placed {
  created_at: number;
  seq: number;
}

/**
 * One of the two histories of an account, usage or ledger: its table, its filters, its figures and its representation.
 */
export interface History<
  Filter extends { window: Window },
  Row extends Placed,
  Shown extends object,
  Figure extends string,
> extends Counted<Filter, Figure> {
  /** The feed that its cursors belong to. */
  feed: Feed;
  /** The figure that counts every row. */
  total: Figure;
  /** Its rows, with or without what only details show. */
  rows(details: boolean): Rows<Row>;
  show(row: Row, details: boolean): Shown;
  /** Whether a filter selects every row of its window. */
  selectsAll(filter: Filter): boolean;
}

/** In reverse chronological order. */
export const newestFirst = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.orderBy([
    { column: "created_at", order: "desc" },
    { column: "seq", order: "desc" },
  ]);

/** A query for the positions of rows, which an index holds: the rows themselves may be in memory. */
export const placesOf = ({ table }: { table: string }, { database }: AccountScope): Knex.QueryBuilder =>
  database(table).select("created_at", "seq");

/**
 * The positions that a query finds, and the number that another finds, as one JSON value, since SQLite's driver is
 * slow with each value.
 */
function placesAndNumber(
  { database }: AccountScope,
  query: Knex.QueryBuilder,
  number: Knex.QueryBuilder | null,
): Scalar {
  const { dialect } = database.client as { dialect: string };
  const [listOf, pair, object] =
    dialect === "sqlite3"
      ? ["json_group_array", "json_array", "json_object"]
      : ["json_agg", "json_build_array", "json_build_object"];
  const [places, counted] = [query.toSQL(), number?.toSQL()];
  const list = `(SELECT ${listOf}(${pair}(created_at, seq)) FROM (${places.sql}) AS found)`;
  return {
    sql: `(SELECT ${object}('places', ${list}, 'number', (${counted?.sql ?? "NULL"})))`,
    bindings: [...places.bindings, ...(counted?.bindings ?? [])] as Scalar["bindings"],
  };
}

/** Its value; SQLite returns JSON as text. */
function readPlaces(value: unknown): { places: Placed[]; number: number | null } {
  const { places, number } = (typeof value === "string" ? JSON.parse(value) : value) as {
    places: Pair[] | null;
    number: number | null;
  };
  return { places: (places ?? []).map(([created_at, seq]) => ({ created_at, seq })), number };
}

/** The time and the number of a row. */
type Pair = [number, number];

/** Rows of a page read in one go, with and without details. The rest of a longer page is read while it is sent. */
const maxRowsAtOnce = (details: boolean): number => (details ? 50 : 500);

/**
 * One page of the rows that a filter selects, newest first, and their total number. The total follows from the page
 * itself if it is the last one, otherwise from a count, in the same statement if the rollups hold it. `more` holds the
 * remaining items of a long page.
 */
export async function readPage<Filter extends { window: Window }, Row extends Placed, Shown extends object>(
  history: History<Filter, Row, Shown, string>,
  scope: AccountScope,
  filter: Filter,
  place: Place,
  details: boolean,
): Promise<{
  items: Shown[];
  total: number;
  more: (later: AccountScope) => AsyncIterable<Shown[]> | undefined;
}> {
  const selected = whereInScope(placesOf(history, scope), scope.accountId, rangeOf(filter.window));
  const rolledUp = rolledUpNumber(history, scope, filter);
  const atOnce = Math.min(place.pageSize, maxRowsAtOnce(details));
  const scalar = placesAndNumber(
    scope,
    newestFirst(history.whereRows(selected, filter)).limit(atOnce).offset(place.offset),
    rolledUp,
  );
  // An index begins with the first page of all rows, so it is found quickly.
  const isQuick =
    rolledUp !== null && history.selectsAll(filter) && place.offset === 0 && !scope.database.isTransaction;
  const read = isQuick ? readScalarTogether : readScalar;
  const { places: found, number } = readPlaces(await read(scope.database, scalar));
  const left = found.length < atOnce ? 0 : place.pageSize - found.length;
  const total =
    (left > 0 ? null : totalOfPage(place, found.length)) ??
    number ??
    (await countWhole(history, scope, filter))[history.total]!;
  const last = found.at(-1);
  const seqs = found.map(({ seq }) => seq);
  return {
    items: await shownRows(history, scope, seqs, details),
    total,
    more: (later) =>
      left === 0 || last === undefined
        ? undefined
        : pagesAfter(history, later, filter, { details, after: positionOf(last), most: left }),
  };
}

const positionOf = ({ created_at: createdAt, seq }: Placed): Position => ({ createdAt, seq });

/**
 * At most `size` rows after a position, newest first. If the position is earlier than the window's end it replaces it,
 * so that a deep page enters the index at its position.
 */
async function rowsAfter<Filter extends { window: Window }, Row extends Placed>(
  history: History<Filter, Row, object, string>,
  { database, accountId }: AccountScope,
  filter: Filter,
  position: Position | null,
  size: number,
  details = false,
): Promise<Row[]> {
  const { from, to } = rangeOf(filter.window);
  const beyond = position !== null && (to === null || position.createdAt <= to);
  const { select, read } = history.rows(details);
  const rows = whereInScope(select(database), accountId, { from, to: beyond ? null : to });
  if (beyond) rows.whereRaw("(created_at, seq) < (?, ?)", [position.createdAt, position.seq]);
  return read((await newestFirst(history.whereRows(rows, filter)).limit(size)) as object[]);
}

/** One page of a feed, and the position of the next. */
export interface FeedPage<Row> {
  rows: Row[];
  paging: { next_cursor: string | null; has_more: boolean; page_size: number };
}

/**
 * One page of a feed, newest first. Rows written in the meantime are newer than those of the first page, so a walk from
 * cursor to cursor neither repeats a row nor skips one that existed when it began.
 * @throws Invalid (422) for a cursor that this feed never issued
 */
export async function readFeed<Filter extends { window: Window }, Row extends Placed>(
  history: History<Filter, Row, object, string>,
  scope: AccountScope,
  filter: Filter,
  {
    cursor,
    page_size: size = operations.listUsageFeed.query.page_size.default,
  }: { cursor?: string; page_size?: number },
): Promise<FeedPage<Row>> {
  const position = cursor === undefined ? null : readCursor(history.feed, cursor);
  if (cursor !== undefined && position === null) {
    const msg = "cursor must be the next_cursor of an earlier page of this feed, unchanged";
    throw new Invalid([{ loc: ["query", "cursor"], msg, type: "cursor_invalid", input: cursor }]);
  }
  const found = await rowsAfter(history, scope, filter, position, size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  const more = found.length > size && last !== undefined;
  return {
    rows,
    paging: {
      next_cursor: more ? writeCursor(history.feed, positionOf(last)) : null,
      has_more: more,
      page_size: size,
    },
  };
}

/** One row of the account in full; undefined if it has none with this id. */
export async function readOne<Row extends Placed, Shown extends object>(
  history: History<never, Row, Shown, string>,
  { database, accountId }: AccountScope,
  id: string,
): Promise<Shown | undefined> {
  // No stored id contains a NUL, and Postgres rejects one in a query.
  if (id.includes("\0")) return undefined;
  const { select, read } = history.rows(true);
  const found = (await select(database).where({ id, account_id: accountId })) as object[];
  return read(found).map((row) => history.show(row, true))[0];
}

/**
 * Rows of an export in memory at once. Small pages are collected early: with pages of 1,000, a million events made the
 * process grow by 230 MB, with pages of 50 by about 30.
 */
const exportPageSize = 50;

/** The rows that a filter selects after a position, newest first, in pages that are read on demand and not kept here. */
async function* pagesAfter<Filter extends { window: Window }, Row extends Placed, Shown extends object>(
  history: History<Filter, Row, Shown, string>,
  scope: AccountScope,
  filter: Filter,
  { details, after, most }: { details: boolean; after: Position | null; most: number },
): AsyncGenerator<Shown[], void, undefined> {
  let position = after;
  for (let left = most; left > 0;) {
    const size = Math.min(exportPageSize, left);
    const from = position;
    const { shown, last } = await inTurn(scope.accountId, async () => {
      const rows = await rowsAfter<Filter, Row>(history, scope, filter, from, size, details);
      const end = rows.at(-1);
      return { shown: rows.map((row) => history.show(row, details)), last: end && positionOf(end) };
    });
    if (!last) return;
    left = shown.length < size ? 0 : left - size;
    position = last;
    yield shown;
  }
}

/** Every row that a filter selects, newest first, in pages. */
export const exported = <Filter extends { window: Window }, Row extends Placed, Shown extends object>(
  history: History<Filter, Row, Shown, string>,
  scope: AccountScope,
  filter: Filter,
): AsyncGenerator<Shown[], void, undefined> =>
  pagesAfter(history, scope, filter, { details: false, after: null, most: Infinity });
