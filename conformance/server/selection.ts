import type { Expect } from "../judge/expect.ts";
import { isZoneless } from "../judge/instant.ts";
import { requestedOf, settledOf } from "../judge/rows.ts";
import { laterPart } from "../judge/later.ts";
import { Unverifiable } from "../judge/verdict.ts";
import type { Located } from "../judge/answer.ts";
import { dividing, queriesOf, queryText, wantedBy } from "../books/filters.ts";
import {
  between,
  createdAt,
  dayOf,
  idOf,
  instantLike,
  justBefore,
  rowStep,
  type List,
  type Query,
} from "../books/listed.ts";
import type { Account } from "./account.ts";
import { wholeList } from "./lists.ts";

/*
 * Asks an account's lists, exports and feeds for rows, and expects those that the table of filters selects.
 */

/** An account that sends queries, and how it expects answers. */
export interface Asking {
  account: Account;
  expect: Expect;
}

/** Reads the ids of the rows that a query selects; `known` are the rows to identify them by. */
export type Reader = (asking: Asking, query: Query, known: readonly Located[]) => Promise<string[]>;

/**
 * Reads the list itself, and expects the number of rows as total on each page; a query that the contract allows must be
 * answered with 200.
 */
export const byList =
  (list: List): Reader =>
  async ({ account, expect }, query) => {
    const read = async (): Promise<{ ids: string[]; totals: unknown[] }> => {
      const totals = new Set<unknown>();
      const rows = await wholeList(account, list, query, (answer) => {
        expect(answer).toHaveStatus(200);
        totals.add(answer.at("data.total").value);
        return answer;
      });
      return { ids: rows.map(idOf), totals: [...totals] };
    };
    const once = await read();
    // A row may have arrived in the meantime.
    const { ids, totals } = once.totals.join() === String(once.ids.length) ? once : await read();
    expect(totals, `the totals of the pages of ${queryText(query)}`).toBe([ids.length]);
    return ids;
  };

/** Reads the list in pages of about half of what a query selects. */
export const byPages =
  (list: List): Reader =>
  (asking, query, known) => {
    const wanted = wantedBy(list, query);
    const selected = known.filter((row) => wanted(row) === true).length;
    return byList(list)(asking, { page_size: Math.max(1, Math.ceil(selected / 2)), ...query }, known);
  };

/**
 * Queries of two filters each, neither of which may be ignored when both are given: leaving one out would select more.
 * @param all the account's rows, to choose values from
 */
export function pairedQueries(list: List, all: readonly Located[]): Query[] {
  const rows = onePerKind(all);
  const values = queriesOf(list, rows);
  const sets = new Map(values.map((query) => [query, selectedBy(list, query, rows)]));
  const names = [...new Set(values.map((query) => Object.keys(query)[0]!))];
  const named = (name: string): Query[] => values.filter((query) => name in query);
  return names.flatMap((name, at) =>
    names.slice(at + 1).flatMap((other) => {
      const pairs = named(name)
        .flatMap((left) => named(other).map((right) => [left, right] as const))
        .filter(([left, right]) => !isCrossed({ ...left, ...right }));
      const found = pairs.find(([left, right]) =>
        [left, right].every((query) =>
          [...sets.get(query)!].some((row) => isLeftOut(list, { ...left, ...right }, row)),
        ),
      );
      return found === undefined ? [] : [{ ...found[0], ...found[1] }];
    }),
  );
}

/**
 * A query by everything that a charged Call shows, and for each of its parameters one that asks for another value along
 * with all the others: whichever filter is ignored next to another, one of them selects the Call.
 */
export function contradictedQueries(events: readonly Located[]): Query[] {
  const isCall = wantedBy("listUsage", { charge_outcome: "charged", event_type: "tool_execute" });
  const event = events.find((event) => isCall(event) === true);
  if (event === undefined) throw new Unverifiable("the account has no charged Call");
  const most = Math.max(settledOf(event) ?? 0, requestedOf(event) ?? 0);
  const windows: Record<string, readonly [own: Query[string], other: Query[string]]> = {
    start_date: [dayOf(event, -5), dayOf(event, 2)],
    end_date: [dayOf(event, 2), dayOf(event, -2)],
    min_credits: [0, most + 1],
    max_credits: [most + 2, 0],
  };
  const verdicts = queriesOf("listUsage", events).map(
    (query) => [query, wantedBy("listUsage", query)(event)] as const,
  );
  const own = verdicts.filter(([, wanted]) => wanted === true).map(([query]) => query);
  const others = verdicts.filter(([, wanted]) => wanted === false).map(([query]) => query);
  const bounds = (at: 0 | 1): Query[] =>
    Object.entries(windows).map(([name, values]) => ({ [name]: values[at] }));
  const all = Object.assign({}, ...own, ...bounds(0)) as Query;
  const onePerFilter = new Map(
    [...others, ...bounds(1)].map((query) => [Object.keys(query)[0], query] as const),
  );
  return [all, ...[...onePerFilter.values()].map((other) => ({ ...all, ...other }))];
}

/** Whether a query's least amount exceeds its greatest, which the contract refuses. */
const isCrossed = ({ min_credits: least, max_credits: greatest }: Query): boolean =>
  Number(least ?? 0) > Number(greatest ?? Infinity);

/** The oldest row of each kind: a long history has many rows that filters cannot tell apart. */
export const onePerKind = (rows: readonly Located[]): Located[] => [
  ...new Map(rows.map((row) => [telling.map((name) => String(row.at(name).value)).join(), row])).values(),
];

const telling = [
  "event_type",
  "entry_type",
  "success",
  "charge_outcome",
  "reason_code",
  "outcome",
  "settled_amount_credits",
  "amount_credits",
] as const;

const selectedBy = (list: List, query: Query, rows: readonly Located[]): Set<Located> => {
  const wanted = wantedBy(list, query);
  return new Set(rows.filter((row) => wanted(row) === true));
};

const isLeftOut = (list: List, query: Query, row: Located): boolean => wantedBy(list, query)(row) === false;

/** A list to read, and how. */
export interface Reading {
  list: List;
  /** The list itself by default. */
  read?: Reader;
  /** Added to every query, to bound the reading on accounts with a long history. */
  within?: Query;
}

/**
 * Expects each query to select exactly the account's rows that satisfy it, each once.
 * @throws Unverifiable when no query has a row to select, or a filter has no row that only it excludes, so that it was
 * not tested
 */
export async function expectSelections(
  asking: Asking,
  { list, read = byList(list), within = {} }: Reading,
  asked: readonly Query[],
): Promise<void> {
  const { account, expect } = asking;
  const queries = inForce(list, asked);
  const before = await wholeList(account, list, within);
  const verdicts = queries.flatMap((query) => before.map(wantedBy(list, { ...within, ...query })));
  if (!verdicts.includes(true)) throw new Unverifiable("the account has no row that these filters select");
  if (!verdicts.includes(false))
    throw new Unverifiable("the account has no row that these filters leave out");
  let known = before;
  for (const query of queries) {
    const whole = { ...within, ...query };
    const wanted = wantedBy(list, whole);
    let ids = await read(asking, whole, known);
    const isOdd = (id: string, at: number): boolean =>
      !known.some((row) => idOf(row) === id) || ids.indexOf(id) !== at;
    if (ids.some(isOdd)) {
      // A row may have arrived in the meantime.
      known = await wholeList(account, list, within);
      ids = await read(asking, whole, known);
    }
    const name = queryText(query);
    const strange = ids.filter((id) => !known.some((row) => idOf(row) === id));
    expect(strange, `rows of ${name} that the account's list does not have`).toBe([]);
    const wrong = known.find((row) => ids.includes(idOf(row)) && wanted(row) === false);
    expect(wrong?.value, `a row of ${name} that does not satisfy it`).toBe(undefined);
    const missing = before.find((row) => wanted(row) === true && !ids.includes(idOf(row)));
    expect(missing?.value, `a row that satisfies ${name} and is left out`).toBe(undefined);
    expect(ids.filter(isOdd), `rows that ${name} returns twice`).toBe([]);
  }
  const idle = idleFilters(list, within, queries, before);
  if (idle.length > 0) {
    const what = `the account has no row that only ${idle.join(" or ")} leaves out`;
    throw new Unverifiable(what, "credentials: {every_kind: KEY}");
  }
}

/** The filters that apply to rows and leave out none that the rest of their query selects. */
function idleFilters(
  list: List,
  within: Query,
  queries: readonly Query[],
  rows: readonly Located[],
): string[] {
  const verdictsOf = (name: string): (boolean | null)[] =>
    queries.flatMap(({ [name]: value, ...rest }) => {
      if (value === undefined) return [];
      const [others, own] = [wantedBy(list, { ...within, ...rest }), wantedBy(list, { [name]: value })];
      return rows.flatMap((row) => (others(row) === true ? [own(row)] : []));
    });
  return dividing.filter((name) => {
    const verdicts = verdictsOf(name);
    return verdicts.includes(true) && !verdicts.includes(false);
  });
}

/** The queries of the judged version: a server of it knows no filter that a later one has. */
const inForce = (list: List, queries: readonly Query[]): readonly Query[] =>
  queries.filter((query) => laterPart(list, { query }) === null);

/**
 * Expects another reader to select the same rows as the list: for filters by values that rows do not show.
 * @throws Unverifiable when the list selects nothing by any of the queries, or leaves nothing out
 */
export async function expectSameAsList(
  asking: Asking,
  { list, read, within = {} }: Required<Reading>,
  queries: readonly Query[],
): Promise<void> {
  let [selects, leavesOut] = [false, false];
  for (const query of inForce(list, queries)) {
    const known = await wholeList(asking.account, list, within);
    const wanted = await byList(list)(asking, { ...within, ...query }, known);
    const ids = await read(asking, { ...within, ...query }, known);
    asking.expect(ids.sort(), `the rows of ${queryText(query)}`).toBe(wanted.sort());
    selects ||= wanted.length > 0;
    leavesOut ||= wanted.length < known.length;
  }
  if (!selects) throw new Unverifiable("the account has no row that these filters select");
  if (!leavesOut) throw new Unverifiable("the account has no row that these filters leave out");
}

/**
 * Expects `start_date` and `end_date` to divide the rows at an instant between two of them.
 * @param offset the zone of the instant's text, in minutes east of UTC
 */
export const keepsToInstants = (
  asking: Asking,
  reading: Reading,
  [older, newer]: readonly [Located, Located],
  offset?: number,
): Promise<void> => {
  const instant = instantLike(newer, between(older, newer), offset);
  return expectSelections(asking, reading, [{ start_date: instant }, { end_date: instant }]);
};

/** Expects the same of instants with an offset, unless the rows name no zone, so that their instants are not known. */
export async function keepsToOffsets(
  asking: Asking,
  reading: Reading,
  rows: readonly [Located, Located],
): Promise<void> {
  if (isZoneless(rows[0].at("created_at").value)) return;
  // No zone of today is 59 minutes past the hour; ISO 8601 allows it.
  for (const offset of [630, -330, 359]) await keepsToInstants(asking, reading, rows, offset);
}

/**
 * Expects dates without a time to select whole days: dates before or after a row's day exclude or include it, and
 * exactly one date as both start and end includes it, whatever time zone the server counts days in.
 */
export async function keepsToDays(asking: Asking, reading: Reading, row: Located): Promise<void> {
  const { list, read = byList(list) } = reading;
  const within = { ...reading.within, start_date: dayOf(row, -3) };
  await expectSelections(asking, { list, read, within }, [
    { start_date: dayOf(row, -1) },
    { start_date: dayOf(row, 2) },
    { end_date: dayOf(row, 1) },
    { end_date: dayOf(row, -2) },
  ]);
  const days: string[] = [];
  for (const day of [-1, 0, 1].map((shift) => dayOf(row, shift))) {
    const ids = await read(asking, { ...within, start_date: day, end_date: day }, [row]);
    if (ids.includes(idOf(row))) days.push(day);
  }
  asking.expect(days, `the days that hold ${idOf(row)}, each as start and end`).toHaveLength(1);
  // A day next to an instant is the whole day too.
  for (const window of [
    { start_date: justBefore(row), end_date: days[0] },
    { start_date: days[0], end_date: instantLike(row, createdAt(row) + 2 * rowStep(row)) },
  ]) {
    const ids = await read(asking, { ...within, ...window }, [row]);
    asking.expect(ids.includes(idOf(row)), `whether ${idOf(row)} is in ${queryText(window)}`).toBe(true);
  }
}
