import { timestampLike, microsIn } from "../judge/instant.ts";
import { Unverifiable } from "../judge/verdict.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { dayText, idOf, rowStep, type List } from "../books/listed.ts";
import { usable, type Account, type Query, type Stranger } from "./account.ts";
import type { Profile } from "./profile.ts";
import { pause } from "./session.ts";

/** Page size for reading a whole list; both lists accept it. */
export const wholePage = 500;

/**
 * Selects few rows, if any, with the largest page size: a page of an account with a long history would exceed the size
 * of an answer that is read.
 */
export const oneDay: Query = { start_date: "2026-01-10", end_date: "2026-01-10" };

/** Maximum number of pages that a comparison reads. */
const maxPages = 20;

/** Maximum number of readings while waiting for a list to stop growing. */
const maxReadings = 5;

/** One page of a list. @throws Blocked when it is not answered with 200 */
export const page = async (account: Account, list: List, query: Query = {}): Promise<Answer> =>
  usable(await account.ask(list, { query }));

/** What a check requires of an answer before it reads rows from it. */
export type Require = (answer: Answer) => Answer;

/**
 * Every row that a query selects, newest first, read page by page; usage events with their details.
 * @param query filters; the reader sets `page`
 * @param require the condition on each page: by default, that the check can go on
 * @throws Unverifiable when there are too many rows to compare
 */
export async function wholeList(
  account: Account,
  list: List,
  query: Query = {},
  require: Require = usable,
): Promise<Located[]> {
  const rows: Located[] = [];
  for await (const items of pagesOfList(account, list, query, require)) rows.push(...items);
  return rows;
}

/** The same, page by page. */
export async function* pagesOfList(
  account: Account,
  list: List,
  query: Query = {},
  require: Require = usable,
): AsyncGenerator<Located[]> {
  const details = list === "listUsage" ? { include_details: true } : {};
  const size = Number(query["page_size"] ?? wholePage);
  for (let number = 1, read = 0; read <= maxPages * wholePage; number += 1) {
    const asked = { ...details, page_size: size, ...query, page: number };
    const answer = require(await account.ask(list, { query: asked }));
    const { items } = answer.at("data.items");
    yield items;
    read += items.length;
    const effective = answer.at("data.page_size").value;
    if (items.length === 0 || items.length < (typeof effective === "number" ? effective : size)) return;
  }
  throw new Unverifiable(
    `the account has more than ${maxPages * wholePage} rows`,
    "credentials: {pool: [KEY of an account with a shorter history, …]}",
  );
}

/**
 * Reads something from the server while no row is added to the account's list; returns both.
 * @param take is given the rows
 * @param query the rows of the list; all by default
 * @throws Unverifiable when each read shows other rows
 */
export async function steadily<T>(
  account: Account,
  list: List,
  take: (rows: readonly Located[]) => Promise<T>,
  query: Query = {},
): Promise<{ all: Located[]; taken: T }> {
  let before = await wholeList(account, list, query);
  for (let reading = 0; reading < maxReadings; reading += 1) {
    const taken = await take(before);
    const after = await wholeList(account, list, query);
    if (before.map(idOf).join() === after.map(idOf).join()) return { all: after, taken };
    before = after;
  }
  throw new Unverifiable(
    "the list differs from one read to the next: another client uses the account, or one process is behind another",
  );
}

/** Waits until a new row would have a distinctly later timestamp than this one. */
export const untilLater = (row: Located): Promise<void> => pause(Math.max(5, rowStep(row) / 400));

/**
 * Windows of a month, each with the account to ask: the check's account until now, and the profile's, which may have a
 * history, until an hour ago, since other checks are using it.
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
  const now = account.session.now() * 1000;
  const start_date = dayText(now - 30 * microsIn.day);
  const end_date = timestampLike("Z", now - microsIn.hour);
  const key = profile.credentials.account;
  const reading = { reader: account, window: { start_date } };
  return key === undefined
    ? [reading]
    : [reading, { reader: stranger.withKey(key), window: { start_date, end_date } }];
}
