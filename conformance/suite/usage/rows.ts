import type { Stage } from "../../runner/check.ts";
import { shown } from "../../judge/expect.ts";
import { type Account, type Query, usable } from "../../subject/account.ts";
import type { Located } from "../../judge/answer.ts";
import { csvRows, withoutTotals } from "../../subject/csv.ts";
import { itemsOf, pagesOf, type Page } from "../../subject/cursor.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { discoverEvent, idOf, justBefore, keyOf, listed, type Reader } from "./history.ts";

/** The texts in a value, however deep they stand. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Which events rows are: an event's `id` or its `execution_id` stands somewhere in its row, since the contract shows
 * neither the feed's fields nor the export's columns. A row that is none of the events known stands as its own text.
 */
function eventsIn(rows: readonly unknown[], known: readonly Located[]): string[] {
  const ids = new Map<unknown, string>();
  for (const event of known) {
    ids.set(event.at("id").value, idOf(event));
    if (event.at("execution_id").present) ids.set(event.at("execution_id").value, idOf(event));
  }
  return rows.map((row) => {
    const texts = textsIn(row);
    return ids.get(texts.find((text) => ids.has(text))) ?? texts.join(" | ").slice(0, 200);
  });
}

/** The items of the summary feed, page by page, to its end. */
export const followFeed = async (account: Account, query: Query): Promise<unknown[]> =>
  valuesOf(await pagesOf(account, "listUsageFeed", query));

/** The items of pages. */
export const valuesOf = (pages: readonly Page[]): unknown[] =>
  pages.flatMap(({ items }) => items.map(({ value }) => value));

/**
 * The events of feed items. An item that is none of the events known is looked up among all that the account has: it
 * may be one that stands where it should not.
 * @throws Unverifiable when they do not all say which event they are
 */
export async function feedEvents(
  account: Account,
  items: readonly unknown[],
  known: readonly Located[],
): Promise<string[]> {
  const ids = eventsIn(items, known);
  if (areEvents(ids, known)) return ids;
  const all = await listed(account);
  const found = eventsIn(items, all);
  requireEvents(found, all);
  return found;
}

/** Those of some events that rows name, such as another account's. */
export function eventsNamed(rows: readonly unknown[], events: readonly Located[]): string[] {
  const ids = events.map(idOf);
  return eventsIn(rows, events).filter((id) => ids.includes(id));
}

/**
 * Expects that each query is refused or selects nothing, since no event satisfies it.
 * @param known the account's events, to tell rows by
 */
export async function refusesOrSelectsNothing(
  { account, expect }: Pick<Stage, "account" | "expect">,
  operation: "listUsageFeed" | "exportUsage",
  queries: readonly Query[],
  known: readonly Located[],
): Promise<void> {
  for (const query of queries) {
    const answer = await account.ask(operation, { query });
    expect(answer).toHaveStatus(200, 400, 422);
    if (answer.status !== 200) continue;
    const rows =
      operation === "exportUsage" ? csvRows(answer.text) : itemsOf(answer).map(({ value }) => value);
    expect(eventsNamed(rows, known), `the events that ${shown(query)} selects`).toBe([]);
  }
}

/** The summary feed, followed to its end. */
export const byFeed: Reader = async (account, query, known) =>
  eventsIn(await followFeed(account, { page_size: 500, ...query }), known);

/** The rows of the export; the first is left out when it is no event, and so the header. */
export async function exportRows(
  account: Account,
  query: Query,
  known: readonly Located[],
): Promise<string[][]> {
  const answer = usable(await account.ask("exportUsage", { query }));
  const rows = withoutTotals(csvRows(answer.text));
  const [first] = rows;
  const isEvent = first === undefined || known.some((event) => eventsIn([first], known)[0] === idOf(event));
  return isEvent ? rows : rows.slice(1);
}

/** The CSV export. */
export const byExport: Reader = async (account, query, known) =>
  eventsIn(await exportRows(account, query, known), known);

/**
 * Reads what happened since an instant, to see that the rows can be told apart.
 * @throws Unverifiable when a row does not say which event it is
 */
export async function tellsEvents(account: Account, read: Reader, since: string): Promise<void> {
  const known = await listed(account, { start_date: since });
  const query = { start_date: since, end_date: newestOf(known) };
  if (areEvents(await read(account, query, known), known)) return;
  const all = await listed(account);
  requireEvents(await read(account, query, all), all);
}

/**
 * Expects that another account's event is not found by what it is attributed to, though its own account finds it so.
 * @throws Unverifiable when that account does not, or its event shows no attribution
 */
export async function hidesAttributed({ account, other, expect }: Stage, read: Reader): Promise<void> {
  const stranger = await other();
  const event = await discoverEvent(stranger);
  const attributions: Record<string, unknown> = {
    api_key_id: keyOf(event),
    credential_type: event.at("credential_type").value,
    oauth_client_id: event.at("oauth_client_id").value,
  };
  const finds = async (reader: Account, query: Query): Promise<boolean> =>
    (await read(reader, { start_date: justBefore(event), ...query }, [event])).includes(idOf(event));
  let found = 0;
  for (const [name, value] of Object.entries(attributions)) {
    if (typeof value !== "string" || !(await finds(stranger, { [name]: value }))) continue;
    found += 1;
    const seen = await finds(account, { [name]: value });
    expect(seen, `whether another's event is found by ${shown({ [name]: value })}`).toBe(false);
  }
  if (found === 0) throw new Unverifiable("no event is found by the key, the client or the credential type");
}

const newestOf = (known: readonly Located[]): string | undefined =>
  known[0]?.at("created_at").value as string | undefined;

function areEvents(ids: readonly string[], known: readonly Located[]): boolean {
  const all = new Set(known.map(idOf));
  return ids.every((id) => all.has(id));
}

function requireEvents(ids: readonly string[], known: readonly Located[]): void {
  if (areEvents(ids, known)) return;
  throw new Unverifiable("not every row shows the id or the execution_id of an event of the account");
}
