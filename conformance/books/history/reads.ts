import { countUpTo } from "../../judge/count-up-to.ts";
import { condition } from "../../judge/fact.ts";
import { microsIn } from "../../judge/instant.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { wordsOf } from "../lasting.ts";
import type { Act, Micro, Reading, Row } from "./act.ts";
import { contradiction, type Contradiction } from "./contradiction.ts";
import { bornAt, knownAt, knownBy, type Order } from "./order.ts";

/** What a run shows of reads, the strongest first. */
export const strengths = {
  newest: "every read shows all that was answered before it began",
  shared: "no read is older than what anybody had read before",
  own: "no read is older than what its own reader had read before",
  lag: "no read is older than audit_lag",
  rest: "reads show everything once the account is at rest",
} as const;
export type Strength = keyof typeof strengths;

/** How many reads there were, and how many of them broke each promise. */
export interface ReadCounts {
  reads: number;
  /** Those between the account's Calls that had to show what one of these caused, since `audit_lag` had passed. */
  due: number;
  older: Record<Strength, number>;
}

export const noReads = (): ReadCounts => ({
  reads: 0,
  due: 0,
  older: { newest: 0, shared: 0, own: 0, lag: 0, rest: 0 },
});

export interface ReadsOptions {
  /** How late a row may be, in milliseconds. */
  lagMs: number;
  /** From then on nothing moves, in epoch milliseconds. */
  restFrom: number;
  /** The order holds every row that there is, so that rows can be counted. */
  isComplete: boolean;
  find: (contradiction: Contradiction) => void;
}

type ActOf = Act & { reading: Reading };

/** What one reader has seen so far. */
interface Seen {
  newest: { place: number; act: Act } | null;
  /** The first act that showed each row, by the row's place. */
  rows: (Act | undefined)[];
}

type Clauses = Readonly<Record<"rows" | "total" | "count" | "sum" | "core", ClauseId>>;
const clauses: Record<Order["stream"], Clauses> = {
  ledger: { rows: "LEDG-41", total: "LEDG-23", count: "LSUM-03", sum: "LSUM-07", core: "LEDG-03" },
  usage: { rows: "USAG-37", total: "USAG-32", count: "USUM-06", sum: "USUM-09", core: "USAG-26" },
};

/** The clause about which rows a read shows. */
const aboutRows = ({ operation, reading }: ActOf): ClauseId =>
  operation === "listUsageFeed" ? "UFED-02" : clauses[reading.stream].rows;

/** The most steps of a search for rows that arrived late; a longer one is given up, so that judging stays linear. */
const maxSteps = 2_000;
/** The most rows in doubt, and sums of them, that a summary in the middle of a storm is checked against. */
const maxDoubtful = 12;
const maxSums = 500;

/** Checks every read of a stream against its order: each shows what real time allows, and no reader goes back. */
export function judgeReads(acts: readonly Act[], order: Order, options: ReadsOptions): ReadCounts {
  const reads = acts.filter((act): act is ActOf => act.reading?.stream === order.stream);
  const ended = reads.toSorted((one, other) => one.end - other.end);
  const readers = new Map<string, Seen>();
  const counts = noReads();
  const firstDue = order.rows.reduce(
    (first, row) => (row.cause === null ? first : Math.min(first, knownAt(row) + options.lagMs)),
    Infinity,
  );
  const lastWrite = acts.findLast(({ write }) => write !== null)?.begin ?? -Infinity;
  const listed = order.stream === "ledger" ? typesIn(reads.filter((read) => isPlain(read, order))) : null;
  const listsAll = order.rows.every(({ type }) => listed?.has(type) ?? true);
  let passed = 0;
  for (const read of reads.toSorted((one, other) => one.begin - other.begin)) {
    for (; passed < ended.length && ended[passed]!.end < read.begin; passed += 1)
      note(readers, ended[passed]!, order);
    judgeItself(read, options);
    if (!isPlain(read, order)) continue;
    counts.reads += 1;
    if (read.begin > firstDue && read.begin < lastWrite) counts.due += 1;
    const broken = judgeAbsent(read, order, readers.get(read.reader), { ...options, listed });
    if (options.isComplete && listsAll) judgeNumbers(read, order, options, broken);
    for (const strength of broken) counts.older[strength] += 1;
  }
  return counts;
}

/** The types of rows that a list without a `scope` shows: it may leave out others, by a default of its own. */
const typesIn = (reads: readonly ActOf[]): ReadonlySet<string> =>
  new Set(reads.flatMap(({ reading }) => reading.rows.map(({ type }) => type)));

function note(readers: Map<string, Seen>, act: ActOf, order: Order): void {
  let seen = readers.get(act.reader);
  if (seen === undefined)
    readers.set(act.reader, (seen = { newest: null, rows: new Array<undefined>(order.rows.length) }));
  for (const { place } of act.reading.rows) {
    seen.rows[place] ??= act;
    if (place > (seen.newest?.place ?? -1)) seen.newest = { place, act };
  }
}

/** How far a window may be from where it seems to be, in microseconds: dates and rows may name no zone. */
const zonesApart = 14 * microsIn.hour;

/** A list without filters whose window holds all rows. */
function isPlain({ reading }: ActOf, { rows }: Order): boolean {
  const { from, to } = reading;
  const [oldest, newest] = [rows[0]!.createdAt - zonesApart, rows.at(-1)!.createdAt + zonesApart];
  return reading.isPlain && !(from > oldest || to < newest || Number.isNaN(from) || Number.isNaN(to));
}

/** Looks for contradictions within an answer, or with an earlier sight of the same row. */
function judgeItself(act: ActOf, { find }: ReadsOptions): void {
  const { stream, repeated, changed } = act.reading;
  const name = stream === "ledger" ? "entry" : "event";
  if (repeated !== null)
    find(
      contradiction(
        {
          name: `${name}-shown-twice`,
          clauses: [aboutRows(act)],
          title: `a read shows one ${name} twice`,
          fact: condition(`${name} ${repeated.id} once`, "twice", { kind: "row" }),
          lawful: `one sight of ${repeated.id}, wherever its page shows it`,
        },
        [
          [repeated.shownBy, `shows ${name} ${repeated.id}`],
          [act, `shows ${repeated.id} again`],
        ],
      ),
    );
  if (changed !== null)
    find(
      contradiction(
        {
          name: `${name}-changed`,
          clauses: [clauses[stream].core],
          title: `an ${name} reads differently than before`,
          fact: condition(
            `type, amount, balances, execution and time as before: ${wordsOf(changed.lasting!)}`,
            "others",
            { kind: "value" },
          ),
          lawful: "the same row in both reads; a correction is a separate entry",
        },
        [
          [changed.shownBy, `shows ${name} ${changed.id}`],
          [act, `shows ${changed.id} with different content`],
        ],
      ),
    );
}

/** Looks for rows that a read should have shown. @returns the promises that it breaks */
function judgeAbsent(
  act: ActOf,
  order: Order,
  seen: Seen | undefined,
  options: ReadsOptions & { listed: ReadonlySet<string> | null },
): Set<Strength> {
  const { reading, begin } = act;
  const { rows } = order;
  const broken = new Set<Strength>();
  const shown = new Set(reading.rows.map(({ place }) => place));
  if (shown.size === 0 && !(reading.offset === 0 && reading.reachesOldest)) return broken;
  const places = [...shown];
  const newest = places.length === 0 ? -1 : Math.max(...places);
  // Within the moment of the oldest row shown, the order is open: others of it may be on the next page.
  let from = 0;
  if (!reading.reachesOldest) {
    from = Math.min(...places);
    const { moment } = rows[from]!;
    while (from < rows.length && rows[from]!.moment === moment) from += 1;
  }
  const judge = (row: Row | undefined): void => {
    if (row === undefined || options.listed?.has(row.type) === false) return;
    const known = knownAt(row);
    if (known < begin) broken.add("newest");
    if (row.shownBy.end < begin) broken.add("shared");
    if (begin >= options.restFrom && known < begin - options.lagMs) broken.add("rest");
    const before = seen?.rows[row.place];
    if (before !== undefined) broken.add("own");
    // Within the lag a row may come and go: the contract promises no instant.
    if (known < begin - options.lagMs) {
      broken.add("lag");
      options.find(before === undefined ? tooOld(act, row, options.lagMs) : wentBack(act, row, before));
    }
  };
  const last = reading.offset > 0 ? rows[newest]!.moment - 1 : newest;
  for (let place = from, steps = 0; place <= last && steps < maxSteps; place += 1) {
    if (shown.has(place)) continue;
    steps += 1;
    judge(rows[place]);
  }
  if (reading.offset > 0) return broken;
  const after = Math.max(newest + 1, from);
  judge(order.earliestKnown[after]);
  judge(order.earliestShown[after]);
  if (seen?.newest != null && seen.newest.place >= after) judge(rows[seen.newest.place]);
  return broken;
}

const nameOf = ({ stream, id }: Row): string => `${stream === "ledger" ? "entry" : "event"} ${id}`;

function wentBack(act: ActOf, row: Row, before: Act): Contradiction {
  const { stream } = row;
  return contradiction(
    {
      name: `${stream}-went-back`,
      clauses: [aboutRows(act)],
      title: "a reader no longer sees what it has seen",
      fact: condition(`${nameOf(row)}, which the same reader was shown before`, "a read without it", {
        kind: "row",
      }),
      lawful: "the second read before the first, or with the row: rows never go away",
    },
    [
      ...(row.cause === null ? [] : [[row.cause, `causes ${nameOf(row)}`] as const]),
      [before, `shows ${nameOf(row)}`],
      [act, "does not show it"],
    ],
  );
}

function tooOld(act: ActOf, row: Row, lagMs: number): Contradiction {
  const { stream } = row;
  const by = knownBy(row);
  return contradiction(
    {
      name: `${stream}-too-old`,
      clauses: [aboutRows(act)],
      title: "a read lacks a row that is older than audit_lag",
      fact: condition(
        `${nameOf(row)}, known ${Math.round(act.begin - by.end)} ms before the read; audit_lag is ${lagMs} ms`,
        "a read without it",
        { kind: "row" },
      ),
      lawful: `the read at most ${lagMs} ms after the first operation, or with the row`,
    },
    [
      [by, by === row.cause ? `causes ${nameOf(row)}` : `shows ${nameOf(row)}`],
      [act, "does not show it"],
    ],
  );
}

/** Checks the counts and sums of a read against the rows that may and must be there by then. */
function judgeNumbers(act: ActOf, order: Order, options: ReadsOptions, broken: Set<Strength>): void {
  const { reading, begin, end } = act;
  const { stream } = order;
  const latest = begin - options.lagMs;
  const required = countUpTo(order.known, latest - 0.001);
  const possible = countUpTo(order.born, end);
  const judge = (
    name: string,
    about: ClauseId[],
    what: string,
    said: number,
    least: number,
    most: number,
  ): void => {
    if (said >= least && said <= most) return;
    if (said < least) broken.add("lag");
    if (said < least && begin >= options.restFrom) broken.add("rest");
    options.find(
      contradiction(
        {
          name: `${stream}-${name}`,
          clauses: about,
          title: `${what} fits no moment of the read`,
          fact: condition(least === most ? String(least) : `${least} to ${most}`, String(said), {
            kind: "value",
          }),
          lawful: `${what} of a moment at which ${least} to ${most} rows were there`,
        },
        [...neighbours(order, end), [act, `says ${said}`]],
      ),
    );
  };
  const { total, count, sum, rows } = clauses[stream];
  for (const [name, about, what, said] of [
    ["total", [total], "the total", reading.total],
    ["count", [total, count], "the count of the summary", reading.summary?.count ?? null],
  ] as const) {
    if (said === null) continue;
    judge(name, [...about], what, said, required, possible);
    if (said < countUpTo(order.known, begin - 0.001)) broken.add("newest");
  }
  const [first] = reading.rows;
  if (reading.offset > 0 && first !== undefined) {
    let next = first.place;
    while (order.rows[next]?.moment === first.moment) next += 1;
    const least = countFrom(order, next, knownAt, order.known, latest - 0.001);
    const most = countFrom(order, first.moment, bornAt, order.born, end);
    if (least !== null && most !== null)
      judge("page", [rows], "the number of rows before the page", reading.offset, least, most - 1);
  }
  const { summary } = reading;
  const isCounted = summary !== null && summary.count >= required && summary.count <= possible;
  if (isCounted && order.hasAmounts && !isSumOfSome(summary, order, latest, end))
    options.find(
      contradiction(
        {
          name: `${stream}-summary`,
          clauses: [sum],
          title: "a summary fits no moment",
          fact: condition(
            `the sum of ${summary.count} rows that were there together`,
            `${summary.count} rows with a sum of ${summary.sum / 1e6}`,
            { kind: "amount" },
          ),
          lawful: `${(order.sums[summary.count] ?? NaN) / 1e6} for the first ${summary.count} rows`,
        },
        [...neighbours(order, end), [act, `says ${summary.count} rows, ${summary.sum / 1e6}`]],
      ),
    );
}

/** The operation that caused or showed the last row by then. */
function neighbours({ rows }: Order, end: number): [Act, string][] {
  const row = rows.findLast((row) => knownAt(row) <= end);
  return row === undefined ? [] : [[knownBy(row), `shows or causes ${nameOf(row)}`]];
}

/**
 * How many rows from a place on had arrived by a time; null if counting them takes too many steps.
 * @param times those of all rows, sorted
 */
function countFrom(
  { rows, latestKnown }: Order,
  place: number,
  of: (row: Row) => number,
  times: Float64Array,
  at: number,
): number | null {
  let later = 0;
  for (let below = place - 1, steps = 0; below >= 0 && latestKnown[below]! > at; below -= 1, steps += 1) {
    if (steps > maxSteps) return null;
    if (of(rows[below]!) > at) later += 1;
  }
  return countUpTo(times, at) - (place - later);
}

/** Whether a count and a sum are those of the rows that must be there and some of those that may. */
function isSumOfSome(
  { count, sum }: { count: number; sum: Micro },
  order: Order,
  latest: number,
  end: number,
): boolean {
  if (order.sums[count] === sum) return true;
  const doubtful: Row[] = [];
  let [must, due] = [0, 0];
  // Only the rows of the last moments are in doubt.
  let below = order.rows.length - 1;
  for (let steps = 0; below >= 0 && order.latestKnown[below]! >= latest; below -= 1, steps += 1) {
    const row = order.rows[below]!;
    if (steps > maxSteps || doubtful.length > maxDoubtful) return true;
    if (knownAt(row) < latest) {
      must += 1;
      due += row.amount;
    } else if (bornAt(row) <= end) doubtful.push(row);
  }
  const sought = { count: count - must - below - 1, sum: sum - due - order.sums[below + 1]! };
  let states = new Map([["0 0", { count: 0, sum: 0 }]]);
  for (const { amount } of doubtful) {
    if (states.size > maxSums) return true;
    const next = new Map(states);
    // An event may be there before its settlement.
    for (const added of order.stream === "usage" ? [amount, 0] : [amount])
      for (const state of states.values()) {
        const more = { count: state.count + 1, sum: state.sum + added };
        next.set(`${more.count} ${more.sum}`, more);
      }
    states = next;
  }
  return states.has(`${sought.count} ${sought.sum}`);
}
