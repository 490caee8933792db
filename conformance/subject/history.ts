import { shown, type Expect } from "../judge/expect.ts";
import { dayOrInstantOf, instantOf } from "../judge/instant.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { usable, type Account, type Query, type Stranger } from "./account.ts";
import type { Profile } from "./profile.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { pause } from "./session.ts";

/** The two lists of an account's history: its usage events and its ledger entries. */
export type History = "listUsage" | "listLedger";

/** Rows of one page when a whole list is read; both lists admit it. */
const wholePage = 500;

/** Pages that a comparison reads before it gives up. */
const mostPages = 10;

/** Readings of a list before the suite gives up waiting for it to stand still. */
const mostReadings = 5;

/** One page of a list. @throws Blocked when it is not answered with 200 */
export const page = async (account: Account, list: History, query: Query = {}): Promise<Answer> =>
  usable(await account.ask(list, { query }));

/**
 * Every row that a query selects, newest first, read page by page.
 * @param query filters; `page` and `page_size` are the reader's own unless a `page_size` is given
 * @throws Unverifiable when there are more rows than can be compared
 */
export async function wholeList(account: Account, list: History, query: Query = {}): Promise<Located[]> {
  const rows: Located[] = [];
  const size = typeof query["page_size"] === "number" ? query["page_size"] : wholePage;
  for (let number = 1; number <= Math.max(mostPages, (mostPages * wholePage) / size); number += 1) {
    const answer = await page(account, list, { page_size: size, ...query, page: number });
    const { items } = answer.at("data.items");
    rows.push(...items);
    const effective = answer.at("data.page_size").value;
    if (items.length === 0 || items.length < (typeof effective === "number" ? effective : size)) return rows;
  }
  throw new Unverifiable(`the account's history is longer than ${mostPages * wholePage} rows`);
}

/** The account's own unfiltered list, and what each of some queries selected of it at the same time. */
export interface Selections {
  all: Located[];
  /** The rows of each query, in the order of the queries. */
  selected: Located[][];
}

/**
 * Reads the unfiltered list, then what each query selects, then the list again, until no row has appeared meanwhile
 * (late rows of earlier requests may): what is compared is one state of the account.
 */
export async function selections(
  account: Account,
  list: History,
  queries: readonly Query[],
): Promise<Selections> {
  const { all, taken } = await steadily(account, list, async () => {
    const selected: Located[][] = [];
    for (const query of queries) selected.push(await wholeList(account, list, query));
    return selected;
  });
  return { all, selected: taken };
}

/** Takes something from the server while the account's unfiltered list stands still; answers both. */
export async function steadily<T>(
  account: Account,
  list: History,
  take: () => Promise<T>,
): Promise<{ all: Located[]; taken: T }> {
  let before = await wholeList(account, list);
  for (let reading = 0; reading < mostReadings; reading += 1) {
    const taken = await take();
    const after = await wholeList(account, list);
    if (sameRows(before, after)) return { all: after, taken };
    before = after;
  }
  throw new Unverifiable("the account's history does not stand still: somebody else uses the account");
}

/**
 * Windows of a month, each with whom to ask: the check's own account until now, and the profile's, which may have a
 * history, until an hour ago: other checks use it meanwhile.
 */
export function lastMonth({
  account,
  stranger,
  profile,
}: {
  account: Account;
  stranger: Stranger;
  profile: Profile;
}): { reader: Account; window: Query }[] {
  const ago = (ms: number): string => instantText(Date.now() - ms);
  const start_date = ago(30 * dayMs).slice(0, 10);
  const key = profile.credentials.account;
  return [
    { reader: account, window: { start_date } },
    ...(key === undefined
      ? []
      : [{ reader: stranger.withKey(key), window: { start_date, end_date: ago(dayMs / 24) } }]),
  ];
}

export const idOf = (row: Located): unknown => row.at("id").value;

const sameRows = (one: readonly Located[], other: readonly Located[]): boolean =>
  one.length === other.length && one.every((row, index) => idOf(row) === idOf(other[index]!));

/** Whether a row satisfies a filter; null where the contract leaves it open. */
export type Wanted = (row: Located) => boolean | null;

/** Expects exactly the rows of the unfiltered list that satisfy the filter: none more, none less, none twice. */
export function expectSelection(
  expect: Expect,
  filter: string,
  { all, selected, wanted }: { all: readonly Located[]; selected: readonly Located[]; wanted: Wanted },
): void {
  const ids = selected.map(idOf);
  const own = new Set(all.map(idOf));
  const foreign = selected.find((row) => !own.has(idOf(row)));
  expect(foreign?.value, `a row of ${filter} that is not among the account's own rows`).toBe(undefined);
  const wrong = selected.find((row) => wanted(row) === false);
  expect(wrong?.value, `a row of ${filter} that does not satisfy it`).toBe(undefined);
  const missing = all.find((row) => wanted(row) === true && !ids.includes(idOf(row)));
  expect(missing?.value, `a row that satisfies ${filter} and is left out`).toBe(undefined);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  expect(twice, `the id of a row that ${filter} returns twice`).toBe(undefined);
}

/** Epoch milliseconds of a row's `created_at`. @throws Unverifiable when it is no timestamp */
export function createdAt(row: Located): number {
  const instant = instantOf(row.at("created_at").value);
  if (Number.isNaN(instant)) {
    throw new Unverifiable(`created_at ${shown(row.at("created_at").value)} is no timestamp to go by`);
  }
  return instant;
}

/** An instant as a query parameter. */
export const instantText = (ms: number): string => new Date(ms).toISOString();

/** The finest step that a list's timestamps show: 1 ms, or a whole second. */
const stepOf = (rows: readonly Located[]): number =>
  rows.some((row) => createdAt(row) % 1000 !== 0) ? 1 : 1000;

/**
 * Goes on only when a row that is written now has a later timestamp than the newest of the list, by more than twice
 * the step that the timestamps show, so that an instant lies between the two.
 */
export async function apart(rows: readonly Located[]): Promise<void> {
  const step = rows.length === 0 ? 1000 : stepOf(rows);
  await pause(step === 1 ? 5 : 2 * step + 100);
}

/** An instant that lies between two rows, whatever is cut from their timestamps. @throws Unverifiable when none does */
export function between(older: Located, newer: Located): number {
  const [from, to] = [createdAt(older), createdAt(newer)];
  if (to - from < 2) throw new Unverifiable("the timestamps of two requests leave no instant between them");
  return Math.floor((from + to) / 2);
}

/** An instant between the two neighbours of a list, newest first, that lie farthest apart. */
export function widestGap(rows: readonly Located[]): number {
  let widest: [Located, Located] | undefined;
  let width = 0;
  for (const [index, newer] of rows.entries()) {
    const older = rows[index + 1];
    if (older === undefined || createdAt(newer) - createdAt(older) <= width) continue;
    widest = [older, newer];
    width = createdAt(newer) - createdAt(older);
  }
  if (!widest) throw new Unverifiable("all rows of the account have one timestamp");
  return between(...widest);
}

const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const dayMs = 86_400_000;

/** The calendar day of a row, in UTC and as its timestamp shows it: most often the same. */
export function daysOf(row: Located): { earliest: string; latest: string } {
  const days = [dayText(createdAt(row)), row.at("created_at").string.slice(0, 10)].sort();
  return { earliest: days[0]!, latest: days[1]! };
}

/** The day some days after (or, negative, before) a YYYY-MM-DD day. */
export const dayAfter = (day: string, days = 1): string => dayText(dayOrInstantOf(day) + days * dayMs);

/** Whether a row lies on or after a day; null where that depends on the zone in which the day is meant. */
export function fromDay(day: string): Wanted {
  return (row) => {
    const { earliest, latest } = daysOf(row);
    return earliest >= day ? true : latest < day ? false : null;
  };
}

/** Whether a row lies on or before a day. */
export function untilDay(day: string): Wanted {
  return (row) => {
    const { earliest, latest } = daysOf(row);
    return latest <= day ? true : earliest > day ? false : null;
  };
}

/** Sum of a list's amounts at a path, as exact as decimals allow; what is no number counts as nothing. */
export const sumOf = (rows: readonly Located[], amount: (row: Located) => number): number =>
  Math.round(rows.reduce((sum, row) => sum + amount(row), 0) * 1e9) / 1e9;
