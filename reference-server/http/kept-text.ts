/*
 * Rows of lists never change and are sent again and again. Once an answer with such an item kept the contract, the
 * item's JSON text is kept: later answers are judged and written without it.
 */

/** The text of each item; null until an answer with it kept the contract. */
const texts = new WeakMap<object, string | null>();

/** The body to send, for each body to judge. */
const wholes = new WeakMap<object, Listing>();

/** A body that ends in a list, as in `{…, data: {…, items: […]}}`. */
interface Listing {
  data: { items: object[] };
}

/** Declares that an item never changes and will be sent again. */
export function keepText(item: object): void {
  texts.set(item, null);
}

/** The body without the items that were judged before; the body itself if there are none. */
export function toJudge(body: unknown): unknown {
  if (!isListing(body)) return body;
  const { data } = body;
  const items = data.items.filter((item) => !isJudged(item));
  if (items.length === data.items.length && !items.some((item) => texts.has(item))) return body;
  const part = { ...body, data: { ...data, items } };
  wholes.set(part, body);
  return part;
}

/**
 * The JSON text of the whole body.
 * @param part what `toJudge` made of it
 * @param lawful whether that kept the contract
 */
export function textOf(part: unknown, lawful: boolean): string {
  const body = isListing(part) ? wholes.get(part) : undefined;
  if (body === undefined) return JSON.stringify(part);
  const { data } = body;
  const items = data.items.map((item) => {
    const kept = texts.get(item);
    const text = kept ?? JSON.stringify(item);
    if (lawful && kept === null) texts.set(item, text);
    return text;
  });
  const empty = JSON.stringify({ ...body, data: { ...data, items: [] } });
  if (!empty.endsWith(listEnd)) throw new Error("a body with kept items must end in their list");
  return `${empty.slice(0, 1 - listEnd.length)}${items.join(",")}${listEnd.slice(1)}`;
}

const listEnd = "[]}}";

const isJudged = (item: object): boolean => typeof texts.get(item) === "string";

const isListing = (body: unknown): body is Listing =>
  Array.isArray((body as { data?: { items?: unknown } } | null | undefined)?.data?.items);
