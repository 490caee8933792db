/*
 * Rows of lists never change and are sent again and again, so their JSON text is kept. Once an answer with such an item
 * kept the contract, later answers are judged without it.
 */

/** An item's text, and whether an answer with the item kept the contract. */
interface Kept {
  text: string;
  judged: boolean;
}

const known = new WeakMap<object, Kept>();

/** The body to send, for each body to judge. */
const wholes = new WeakMap<object, Listing>();

/** A body that ends in a list: `{…, data: {…, items: […]}}`. */
interface Listing {
  data: { items: object[] };
}

/** Declares that an item never changes and will be sent again. */
export function keepText(item: object, text: string): void {
  known.set(item, { text, judged: false });
}

/** The body without the items that were judged before; the body itself if it has no kept ones. */
export function toJudge(body: unknown): unknown {
  if (!isListing(body)) return body;
  const { data } = body;
  if (!data.items.some((item) => known.has(item))) return body;
  const part = { ...body, data: { ...data, items: data.items.filter((item) => !known.get(item)?.judged) } };
  wholes.set(part, body);
  return part;
}

/**
 * The JSON text of the whole body.
 * @param part what `toJudge` made of it
 * @param lawful whether that kept the contract
 */
export function textOf(part: unknown, lawful: boolean): string {
  const body = wholes.get(part as object);
  if (body === undefined) return JSON.stringify(part);
  const items = body.data.items.map((item) => {
    const kept = known.get(item);
    if (kept === undefined) return JSON.stringify(item);
    kept.judged ||= lawful;
    return kept.text;
  });
  const around = JSON.stringify({ ...body, data: { ...body.data, items: [] } });
  return `${around.slice(0, -end.length)}${items.join(",")}${end}`;
}

/** The end of a text whose last list is open. */
const end = "]}}";

const lastKey = (value: object): string | undefined => Object.keys(value).at(-1);

function isListing(body: unknown): body is Listing {
  if (typeof body !== "object" || body === null || lastKey(body) !== "data") return false;
  const { data } = body as { data: unknown };
  if (typeof data !== "object" || data === null || lastKey(data) !== "items") return false;
  return Array.isArray((data as { items: unknown }).items);
}
