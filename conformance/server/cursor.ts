import { isDeepStrictEqual } from "node:util";
import { canonical, isObject } from "../../base/data.ts";
import { condition } from "../judge/fact.ts";
import { Blocked, Unmet, Unverifiable } from "../judge/verdict.ts";
import { usable, type Account, type Query } from "./account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { momentOf } from "../judge/instant.ts";
import { listIn, texts } from "../books/unnamed.ts";
import type { Asking } from "./selection.ts";

/*
 * The pages of the usage feed and of the settlement history. The contract gives neither the name of their list nor the
 * location of the cursor.
 */

/** The default page size of both. */
const defaultSize = 100;

/** Number of pages after which a feed is considered endless. */
const maxPages = 500;

/** Number of empty pages in a row after which a feed is considered read, even if it says that more follows. */
const maxEmpty = 20;

/** What leads to the next page. */
export interface Cursor {
  value: string;
  /** Guessed only from its appearance or location: if it leads nowhere, the server is not at fault. */
  guessed: boolean;
  /** Called `cursor`, or the parameter `cursor` of a link: the server must take it. */
  certain: boolean;
}

/** One page. */
export interface Page {
  items: Located[];
  /** Everything that the answer shows of the page. */
  data: unknown;
  /** The cursor to the next page, null on the last page. @throws Unverifiable when it cannot be identified */
  next: () => Cursor | null;
}

type Feed = "listUsageFeed" | "listSettlements";

/**
 * The page that a query selects, after a cursor.
 * @throws Unmet when the server refuses its own cursor; Blocked for any other answer but 200; Unverifiable when
 *   its list cannot be identified
 */
export async function pageOf(
  account: Account,
  feed: Feed,
  query: Query,
  from: Cursor | null = null,
): Promise<Page> {
  const answer = await account.ask(feed, { query: from ? { ...query, cursor: from.value } : query });
  if (from !== null && [400, 422].includes(answer.status)) {
    if (from.guessed) throw unrecognized();
    if (from.certain)
      throw new Unmet(
        condition("a page after the cursor that the page before showed", `status ${answer.status}`),
        answer.exchange,
      );
  }
  const items = itemsOf(answer);
  const full = items.length >= Number(query["page_size"] ?? defaultSize);
  const next = (): Cursor | null => {
    if (items.length > 0) return nextCursor(answer, from, full);
    // An empty page is the last one, unless it says that more follows, and where.
    const further = says(fieldsIn(answer.body), true) ? nextCursor(answer, from, full) : null;
    return further?.value === from?.value ? null : further;
  };
  return { items, data: answer.at("data").value, next };
}

/** The items of a page. @throws Blocked when the answer is not 200; Unverifiable when its list cannot be identified */
export function itemsOf(answer: Answer): Located[] {
  const items = listIn(usable(answer).at("data"));
  if (items) return items;
  throw new Unverifiable("the feed holds no list that can be recognized");
}

/**
 * Every page, newest first.
 * @param between runs before each further page, with the number of pages read so far
 * @param max the maximum number of pages to read, where more would show nothing new
 * @throws Unmet when a cursor leads to its own page, or the pages form a loop
 */
export async function pagesOf(
  account: Account,
  feed: Feed,
  query: Query,
  between: (read: number) => Promise<void> = async () => undefined,
  max = Infinity,
): Promise<Page[]> {
  const pages = [await pageOf(account, feed, query)];
  const seen = new Set(pages.flatMap(textsOf));
  const cursors = new Set<string>();
  for (let next = pages[0]!.next(); next !== null; next = pages.at(-1)!.next()) {
    if (pages.length >= max || areEmpty(pages.slice(-maxEmpty))) break;
    await between(pages.length);
    const page = await pageOf(account, feed, query, next);
    if (!next.guessed && page.items.length > 0 && isDeepStrictEqual(page.data, pages.at(-1)!.data))
      throw new Unmet(
        condition("another page after the cursor", "the previous page again"),
        page.items[0]!.exchange,
      );
    const texts = textsOf(page);
    if (next.guessed && texts.some((text) => seen.has(text))) throw unrecognized();
    if (cursors.has(next.value) && texts.length > 0 && texts.every((text) => seen.has(text))) {
      throw new Unmet(
        condition("a cursor that leads on", "the same cursor to the same page again"),
        page.items[0]!.exchange,
      );
    }
    cursors.add(next.value);
    for (const text of texts) seen.add(text);
    pages.push(page);
    if (pages.length > maxPages)
      throw new Blocked(`the feed does not end within ${maxPages} pages`, page.items[0]?.exchange);
  }
  return pages;
}

/**
 * Expects a feed of several rows to hold a list, and its page of one to lead to another. Neither has a name in the
 * contract: only an answer that shows nothing which could be it fails.
 * @throws Unverifiable when something could be, and cannot be recognized
 */
export async function expectPaged({ account, expect }: Asking, feed: Feed, query: Query): Promise<void> {
  const all = usable(await account.ask(feed, { query: { ...query, page_size: 3 } }));
  expect(all.at("data")).toSatisfy("to hold a list", (data) => Object.values(data ?? {}).some(isNested));
  const several = itemsOf(all).length;
  if (several < 2) throw new Blocked(`of several rows the feed shows ${several}`, all.exchange);
  const asked = { ...query, page_size: 1 };
  const answer = usable(await account.ask(feed, { query: asked }));
  const items = itemsOf(answer);
  if (items.length !== 1) throw new Blocked(`a page of one holds ${items.length} rows`, answer.exchange);
  if (!mayLeadOn(answer)) {
    const leads = await leadsByItem(account, feed, asked, items[0]!);
    expect(leads, "whether the answer or its row holds a cursor to the next page").toBe(true);
    return;
  }
  const next = nextCursor(answer, null, true);
  expect(next !== null, "whether the first of several pages leads to another").toBe(true);
  expect((await pageOf(account, feed, asked, next)).items, "the next page").toHoldSomething();
}

/** Rows may be members of an object, or be written in a text. */
const isNested = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || (typeof value === "string" && /^[[{]|\n/.test(value));

/** Whether something beside the list or in a header may lead to the next page, whatever its name. */
const mayLeadOn = ({ body, headers }: Answer): boolean =>
  fieldsIn(body).some((field) => leading.some((name) => name.test(field.words)) || isUnnamedCursor(field)) ||
  Object.keys(headers).some((name) => /^link$|cursor|next|continuation/i.test(name));

/** Texts of small letters are words. */
const isUnnamedCursor = ({ name, value }: Field): boolean =>
  !/^(status|message)|size$|limit|count|total/i.test(name) &&
  (typeof value === "number" || (typeof value === "string" && !/^[a-z_. -]*$/.test(value))) &&
  momentOf(value) === undefined;

/** Whether a feed takes something that a row shows, such as its id, for the cursor to what follows it. */
async function leadsByItem(account: Account, feed: Feed, query: Query, item: Located): Promise<boolean> {
  for (const cursor of new Set(texts(item.value))) {
    const further = await account.ask(feed, { query: { ...query, cursor } });
    const items = further.status === 200 ? (listIn(further.at("data")) ?? []) : [];
    if (items.length > 0 && canonical(items[0]!.value) !== canonical(item.value)) return true;
  }
  return false;
}

const areEmpty = (pages: readonly Page[]): boolean =>
  pages.length === maxEmpty && pages.every(({ items }) => items.length === 0);

const textsOf = ({ items }: Page): string[] => items.map(({ value }) => JSON.stringify(value));

const unrecognized = (): Unverifiable => new Unverifiable("the feed names no cursor that can be recognized");

/** A value outside the list, with the words of its path. */
interface Field {
  name: string;
  words: string;
  value: unknown;
}

/** Every value of an answer that is not in a list. */
const fieldsIn = (value: unknown, path: readonly string[] = []): Field[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => fieldsIn(member, [...path, name]))
    : [{ name: path.at(-1) ?? "", words: wordsOf(path), value }];

/** Whether a field says that more pages follow, or that none do. */
const says = (fields: readonly Field[], more: boolean): boolean =>
  fields.some(({ name, value }) => value === more && /^(has_?(more|next)|more$)/i.test(name));

/** `paging.nextCursor` as ` paging next cursor `. */
const wordsOf = (path: readonly string[]): string =>
  ` ${path
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^a-z\d]+/gi, " ")
    .toLowerCase()} `;

/** Names for a next-page cursor, the most explicit first. */
const leading = [/ next/, / after /, /cursor/];
const leadsElsewhere = / (first|prev|self|current|last)/;

/** Texts with another meaning, such as a scope, a currency or a time, are not cursors. */
const isOpaque = (text: string): boolean => !/^[a-z_. -]*$/i.test(text) && Number.isNaN(Date.parse(text));

/**
 * The cursor of a page: found by name, or else the one opaque text outside the list; null on the last page.
 * @param full whether the page is full; one that is not may omit the cursor
 * @throws Unverifiable when the page is full and has no identifiable cursor
 */
function nextCursor(answer: Answer, from: Cursor | null, full: boolean): Cursor | null {
  const fields = fieldsIn(answer.body);
  if (says(fields, false)) return null;
  const others = fields.filter(({ words }) => !leadsElsewhere.test(words) && !/ has /.test(words));
  const read = others.map((field) => ({ ...field, cursor: cursorIn(field) }));
  // The answer may repeat the parameters of the request.
  const fresh = read.filter(
    ({ words, cursor }) => !cursor || / next/.test(words) || cursor.value !== from?.value,
  );
  for (const name of leading) {
    const named = fresh.filter(({ words }) => name.test(words)).map(({ cursor }) => cursor);
    const [best] = named.filter(Boolean).sort((one, other) => Number(one!.guessed) - Number(other!.guessed));
    if (best || named.includes(null)) return best ?? null;
  }
  const opaque = fresh.filter(
    ({ words, value }) => / data /.test(words) && typeof value === "string" && isOpaque(value),
  );
  if (opaque.length === 1) return { value: String(opaque[0]!.value), guessed: true, certain: false };
  if (full && (from === null || fresh.length < read.length)) throw unrecognized();
  return null;
}

/** The cursor in a field; null when the field says there is none, undefined when it holds something else. */
function cursorIn({ words, value }: Field): Cursor | null | undefined {
  if (value === null || value === "") return null;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  const isNamed = /cursor/.test(words);
  const link = /[?&]cursor=[^&#]/.test(text)
    ? new URLSearchParams(text.split("#")[0]!.slice(text.indexOf("?") + 1)).get("cursor")
    : null;
  if (link !== null) return { value: link, guessed: false, certain: true };
  return !isNamed && /^(https?:|\/)/.test(text)
    ? undefined
    : { value: text, guessed: !isNamed, certain: / cursor $/.test(words) };
}
