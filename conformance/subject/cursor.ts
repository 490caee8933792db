import { Blocked, Unmet, Unverifiable } from "../judge/verdict.ts";
import { usable, type Account, type Query } from "./account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { listIn } from "./unnamed.ts";

/*
 * The pages of the usage feed and of the settlement history. The contract shows neither the name of their list nor where
 * the cursor to the next page stands.
 */

/** The page size of both unless told. */
const defaultSize = 100;

/** Pages after which a feed is taken to have no end. */
const mostPages = 500;

/** What leads to the next page. */
export interface Cursor {
  value: string;
  /** Told by its looks or its place alone: that it does not lead on is no failure of the server. */
  guessed: boolean;
}

/** One page. */
export interface Page {
  items: Located[];
  /** What leads on, null on the last page. @throws Unverifiable when it cannot be told */
  next: () => Cursor | null;
}

type Feed = "listUsageFeed" | "listSettlements";

/**
 * The page that a query selects, behind a cursor.
 * @throws Blocked when it is not answered with 200; Unverifiable when its list cannot be told
 */
export async function pageOf(
  account: Account,
  feed: Feed,
  query: Query,
  from: Cursor | null = null,
): Promise<Page> {
  const answer = await account.ask(feed, { query: from ? { ...query, cursor: from.value } : query });
  if (from?.guessed && [400, 422].includes(answer.status)) throw untold();
  const items = itemsOf(answer);
  const full = items.length >= Number(query["page_size"] ?? defaultSize);
  return { items, next: () => (items.length === 0 ? null : nextCursor(answer, from, full)) };
}

/** What a page lists. @throws Blocked when it is not answered with 200; Unverifiable when its list cannot be told */
export function itemsOf(answer: Answer): Located[] {
  const items = listIn(usable(answer).at("data"));
  if (items) return items;
  throw new Unverifiable("the feed holds no list that can be told");
}

/**
 * Every page, from the newest on.
 * @param between is done before each further page, and gets the number of those that are read
 * @throws Unmet when the pages go in a circle: they would never end
 */
export async function pagesOf(
  account: Account,
  feed: Feed,
  query: Query,
  between: (read: number) => Promise<void> = async () => undefined,
): Promise<Page[]> {
  const pages = [await pageOf(account, feed, query)];
  const seen = new Set(pages.flatMap(textsOf));
  const cursors = new Set<string>();
  for (let next = pages[0]!.next(); next !== null; next = pages.at(-1)!.next()) {
    await between(pages.length);
    const page = await pageOf(account, feed, query, next);
    const texts = textsOf(page);
    if (next.guessed && texts.some((text) => seen.has(text))) throw untold();
    if (cursors.has(next.value) && texts.length > 0 && texts.every((text) => seen.has(text))) {
      throw new Unmet(
        "a cursor that leads on",
        "the same cursor to the same page again",
        page.items[0]!.exchange,
      );
    }
    cursors.add(next.value);
    for (const text of texts) seen.add(text);
    pages.push(page);
    if (pages.length > mostPages)
      throw new Blocked(`the feed does not end within ${mostPages} pages`, page.items[0]?.exchange);
  }
  return pages;
}

const textsOf = ({ items }: Page): string[] => items.map(({ value }) => JSON.stringify(value));

const untold = (): Unverifiable => new Unverifiable("the feed names no cursor that can be told");

/** A value beside the list, with the words of its path. */
interface Field {
  name: string;
  words: string;
  value: unknown;
}

/** Every value of an answer that does not stand in a list. */
const fieldsIn = (value: unknown, path: readonly string[] = []): Field[] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, member]) => fieldsIn(member, [...path, name]))
    : [{ name: path.at(-1) ?? "", words: wordsOf(path), value }];

/** `paging.nextCursor` as ` paging next cursor `. */
const wordsOf = (path: readonly string[]): string =>
  ` ${path
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^a-z\d]+/gi, " ")
    .toLowerCase()} `;

/** The names that speak of the next page, the plainest first. */
const leading = [/ next/, / after /, /cursor/];
const leadsElsewhere = / (first|prev|self|current|last)/;

/** Texts that mean something, such as a scope, a currency or a time, are no cursors. */
const isOpaque = (text: string): boolean => !/^[a-z_. -]*$/i.test(text) && Number.isNaN(Date.parse(text));

/**
 * The cursor of a page: by its name, or else the one opaque text beside the list; null on the last page.
 * @param full a page that is not full may leave the cursor out
 * @throws Unverifiable when the page is full and does not say how to go on
 */
function nextCursor(answer: Answer, from: Cursor | null, full: boolean): Cursor | null {
  const fields = fieldsIn(answer.body);
  const ended = fields.some(({ name, value }) => value === false && /^(has_?(more|next)|more$)/i.test(name));
  if (ended) return null;
  const others = fields.filter(({ words }) => !leadsElsewhere.test(words) && !/ has /.test(words));
  const read = others.map((field) => ({ ...field, cursor: cursorIn(field) }));
  // What was asked with may stand in the answer again.
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
  if (opaque.length === 1) return { value: String(opaque[0]!.value), guessed: true };
  if (full && (from === null || fresh.length < read.length)) throw untold();
  return null;
}

/** The cursor that a field holds; null where it says that there is none, undefined where it holds something else. */
function cursorIn({ words, value }: Field): Cursor | null | undefined {
  if (value === null || value === "") return null;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  const isNamed = /cursor/.test(words);
  const link = /[?&]cursor=[^&#]/.test(text)
    ? new URLSearchParams(text.split("#")[0]!.slice(text.indexOf("?") + 1)).get("cursor")
    : null;
  if (link !== null) return { value: link, guessed: false };
  return !isNamed && /^(https?:|\/)/.test(text) ? undefined : { value: text, guessed: !isNamed };
}
