import type { Act, Micro, Row, Stream } from "./act.ts";

/** The rows of one stream of one account in their order, oldest first, with what real time says of them. */
export interface Order {
  account: string;
  stream: Stream;
  rows: readonly Row[];
  /** The balance chain decides the order of every moment, rather than the lists. */
  isChained: boolean;
  /** Every row says what it moves. */
  hasAmounts: boolean;
  /** The sum of the amounts before each place; one more than there are rows. */
  sums: readonly Micro[];
  /** Of the rows from each place on, the one that was known first; the same by the first answer that showed it. */
  earliestKnown: readonly (Row | undefined)[];
  earliestShown: readonly (Row | undefined)[];
  /** Up to each place, the latest time at which a row became known. */
  latestKnown: readonly number[];
  /** All times at which rows became known, and at which they may have come into being, in order. */
  known: Float64Array;
  born: Float64Array;
}

/** When a row's existence became known: its Call was answered, or an answer showed it. */
export const knownAt = ({ cause, shownBy }: Row): number => Math.min(cause?.end ?? Infinity, shownBy.end);

/** Before this moment a row cannot have existed. */
export const bornAt = ({ cause }: Row): number => cause?.begin ?? -Infinity;

/** The act that first made a row known. */
export const knownBy = (row: Row): Act =>
  row.cause !== null && row.cause.end <= row.shownBy.end ? row.cause : row.shownBy;

/** Orders rows by their time, and within one moment by their balances or else as they were listed. */
export function orderOf(account: string, stream: Stream, unordered: Iterable<Row>): Order {
  const rows = [...unordered].sort((one, other) => one.createdAt - other.createdAt || one.nth - other.nth);
  let isChained = stream === "ledger" && rows.length > 0;
  for (let from = 0; from < rows.length;) {
    let to = from + 1;
    while (to < rows.length && rows[to]!.createdAt === rows[from]!.createdAt) to += 1;
    const moment = rows.slice(from, to);
    const chained =
      stream === "ledger" && moment.length > 1 ? chainOf(moment, rows[from - 1]?.after ?? null) : moment;
    if (chained === null) isChained = false;
    for (const [index, row] of (chained ?? moment).entries()) {
      rows[from + index] = row;
      row.place = from + index;
      row.moment = from;
    }
    from = to;
  }
  isChained &&= rows.every(({ before, after }) => before !== null && after !== null);
  const earliest = (of: (row: Row) => number): (Row | undefined)[] => {
    const found = new Array<Row | undefined>(rows.length + 1).fill(undefined);
    for (let at = rows.length - 1; at >= 0; at -= 1) {
      const next = found[at + 1];
      found[at] = next === undefined || of(rows[at]!) <= of(next) ? rows[at] : next;
    }
    return found;
  };
  const sums = [0];
  const latestKnown: number[] = [];
  for (const row of rows) {
    sums.push(sums.at(-1)! + row.amount);
    latestKnown.push(Math.max(latestKnown.at(-1) ?? -Infinity, knownAt(row)));
  }
  return {
    account,
    stream,
    rows,
    isChained,
    hasAmounts: rows.every(({ settled }) => settled === null || settled.credits !== undefined),
    sums,
    earliestKnown: earliest(knownAt),
    earliestShown: earliest(({ shownBy }) => shownBy.end),
    latestKnown,
    known: Float64Array.from(rows, knownAt).sort(),
    born: Float64Array.from(rows, bornAt).sort(),
  };
}

/**
 * The rows of one moment so that their balances follow from each other: a walk that uses each row once (Hierholzer's, in
 * linear time). Null if there is none.
 * @param start the balance before the first, where it is known
 */
export function chainOf(rows: readonly Row[], start: Micro | null): Row[] | null {
  const leaving = new Map<Micro, Row[]>();
  const degree = new Map<Micro, number>();
  for (const row of rows.toReversed()) {
    if (row.before === null || row.after === null) return null;
    const others = leaving.get(row.before);
    if (others === undefined) leaving.set(row.before, [row]);
    else others.push(row);
    degree.set(row.before, (degree.get(row.before) ?? 0) + 1);
    degree.set(row.after, (degree.get(row.after) ?? 0) - 1);
  }
  const begins = [...degree].filter(([, out]) => out > 0).map(([balance]) => balance);
  const first = begins[0] ?? (start !== null && leaving.has(start) ? start : rows[0]!.before!);
  const walk: Row[] = [];
  const stack: { at: Micro; by: Row | null }[] = [{ at: first, by: null }];
  while (stack.length > 0) {
    const { at, by } = stack.at(-1)!;
    const row = leaving.get(at)?.pop();
    if (row !== undefined) stack.push({ at: row.after!, by: row });
    else {
      stack.pop();
      if (by !== null) walk.push(by);
    }
  }
  walk.reverse();
  const isWhole =
    walk.length === rows.length &&
    walk.every((row, index) => index === 0 || walk[index - 1]!.after === row.before);
  return isWhole ? walk : null;
}
