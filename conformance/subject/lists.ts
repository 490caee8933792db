import { shown } from "../judge/expect.ts";
import { microsIn, momentOf, stepOf, timestampLike } from "../judge/instant.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { usable, type Account, type Query, type Stranger } from "./account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import type { Profile } from "./profile.ts";
import { pause } from "./session.ts";

/** The two lists of an account's rows: its usage events and its ledger entries. */
export type List = "listUsage" | "listLedger";

/** Rows of one page when a whole list is read; both lists accept it. */
const wholePage = 500;

/** Pages that a comparison reads before it gives up. */
const mostPages = 20;

/** Readings of a list before the suite stops waiting for rows to stop arriving. */
const mostReadings = 5;

/** One page of a list. @throws Blocked when it is not answered with 200 */
export const page = async (account: Account, list: List, query: Query = {}): Promise<Answer> =>
  usable(await account.ask(list, { query }));

/** What a check requires of an answer before it reads rows from it. */
export type Require = (answer: Answer) => Answer;

/**
 * Every row that a query selects, newest first, read page by page; usage events with their details.
 * @param query filters; `page` is the reader's own
 * @param require what is required of each page: unless told, that the check can go on
 * @throws Unverifiable when there are more rows than can be compared
 */
export async function wholeList(
  account: Account,
  list: List,
  query: Query = {},
  require: Require = usable,
): Promise<Located[]> {
  const rows: Located[] = [];
  const details = list === "listUsage" ? { include_details: true } : {};
  const size = Number(query["page_size"] ?? wholePage);
  for (let number = 1; rows.length <= mostPages * wholePage; number += 1) {
    const asked = { ...details, page_size: size, ...query, page: number };
    const answer = require(await account.ask(list, { query: asked }));
    const { items } = answer.at("data.items");
    rows.push(...items);
    const effective = answer.at("data.page_size").value;
    if (items.length === 0 || items.length < (typeof effective === "number" ? effective : size)) return rows;
  }
  throw new Unverifiable(
    `the account has more than ${mostPages * wholePage} rows`,
    "credentials: {pool: [KEY of an account with a shorter history, …]}",
  );
}

/**
 * Takes something from the server while no row is added to the account's list; answers both.
 * @throws Unverifiable when rows keep arriving
 */
export async function steadily<T>(
  account: Account,
  list: List,
  take: () => Promise<T>,
): Promise<{ all: Located[]; taken: T }> {
  let before = await wholeList(account, list);
  for (let reading = 0; reading < mostReadings; reading += 1) {
    const taken = await take();
    const after = await wholeList(account, list);
    if (before.map(idOf).join() === after.map(idOf).join()) return { all: after, taken };
    before = after;
  }
  throw new Unverifiable("rows keep arriving: somebody else uses the account");
}

/** The id of a row as text: the contract gives the ids of ledger entries no type. */
export const idOf = (row: Located): string => String(row.at("id").value);

/** When a row was created, in microseconds. @throws Blocked when it does not say so in a form that can be read */
export function createdAt(row: Located): number {
  const moment = momentOf(row.at("created_at").value);
  if (moment !== undefined) return moment;
  throw new Blocked(`created_at ${shown(row.at("created_at").value)} is no timestamp`, row.exchange);
}

/** The smallest difference that two timestamps of a list can show, in microseconds. */
export const rowStep = (row: Located): number => stepOf(row.at("created_at").value);

/** A moment as a query parameter, written as the row writes its own. */
export const instantLike = (row: Located, micros: number, offset?: number): string =>
  timestampLike(row.at("created_at").value, micros, offset);

/** A moment just before a row, however its timestamp may be rounded. */
export const justBefore = (row: Located): string => instantLike(row, createdAt(row) - 2 * rowStep(row));

/** Waits until a row that is written now has a timestamp plainly later than this one's. */
export const untilLater = (row: Located): Promise<void> => pause(Math.max(5, rowStep(row) / 400));

/** The moment in the middle between two rows. @throws Unverifiable when their timestamps leave none */
export function between(older: Located, newer: Located): number {
  const [from, to] = [createdAt(older), createdAt(newer)];
  if (to - from < 2 * rowStep(newer)) {
    throw new Unverifiable("the timestamps of two requests leave no instant between them");
  }
  return Math.floor((from + to) / 2);
}

/** The day some days after a row's, in UTC. */
export const dayOf = (row: Located, daysLater = 0): string =>
  dayText(createdAt(row) + daysLater * microsIn.day);

export const dayText = (micros: number): string => new Date(micros / 1000).toISOString().slice(0, 10);

/** Days that surely hold a row, whatever the zone in which the server counts days. */
export const daysAround = (row: Located): Query => ({ start_date: dayOf(row, -1), end_date: dayOf(row, 2) });

/**
 * Windows of a month, each with the account to ask: the check's own until now, and the profile's, which may have a
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
  const now = Date.now() * 1000;
  const start_date = dayText(now - 30 * microsIn.day);
  const end_date = timestampLike("Z", now - microsIn.hour);
  const key = profile.credentials.account;
  const own = { reader: account, window: { start_date } };
  return key === undefined
    ? [own]
    : [own, { reader: stranger.withKey(key), window: { start_date, end_date } }];
}
