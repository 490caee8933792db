import { randomUUID } from "node:crypto";
import { isObject } from "../../base/data.ts";

/*
 * Items of lists that do not change and are sent again and again: their JSON text is kept. Once an answer with such an
 * item kept the contract, later answers are judged without it.
 */

/** An item's text, and whether an answer with the item kept the contract. */
interface Kept {
  text: string;
  judged: boolean;
}

const known = new WeakMap<object, Kept>();

/** For each body to judge: the one to send, and its list with kept items. */
const wholes = new WeakMap<object, { body: Record<string, unknown>; list: readonly object[] }>();

/** Declares that an item never changes and will be sent again. */
export function keepText(item: object, text: string): void {
  known.set(item, { text, judged: false });
}

/** The body without the items that were judged before; the body itself if none of its items is kept. */
export function toJudge(body: unknown): unknown {
  const list = keptList(body);
  if (list === undefined) return body;
  const whole = { body: body as Record<string, unknown>, list };
  const part = withItems(
    whole.body,
    list,
    list.filter((item) => !known.get(item)?.judged),
  );
  wholes.set(part, whole);
  return part;
}

/**
 * The JSON text of the whole body.
 * @param part the result of `toJudge`
 * @param lawful whether that kept the contract
 */
export function textOf(part: unknown, lawful: boolean): string {
  const whole = wholes.get(part as object);
  if (whole === undefined) return JSON.stringify(part);
  const texts = whole.list.map((item) => {
    const kept = known.get(item);
    if (kept === undefined) return JSON.stringify(item);
    kept.judged ||= lawful;
    return kept.text;
  });
  return JSON.stringify(withItems(whole.body, whole.list, [placeholder])).replaceAll(`"${placeholder}"`, () =>
    texts.join(","),
  );
}

/** Replaces the items in the text of a body; otherwise no body contains it. */
const placeholder = randomUUID();

/** The list with kept items among the members of a body or of its `data`. */
function keptList(body: unknown): object[] | undefined {
  if (!isObject(body)) return undefined;
  const isKept = (value: unknown): value is object[] =>
    Array.isArray(value) && value.some((item: object) => known.has(item));
  const { data } = body;
  return [body, data].flatMap((part) => (isObject(part) ? Object.values<unknown>(part) : [])).find(isKept);
}

/** The body with other items in the list. */
function withItems(
  body: Record<string, unknown>,
  list: readonly object[],
  items: readonly unknown[],
): Record<string, unknown> {
  const replaced = Object.entries(body).map(([name, value]): [string, unknown] => {
    if (value === list) return [name, items];
    return [name, name === "data" && isObject(value) ? withItems(value, list, items) : value];
  });
  return Object.fromEntries(replaced);
}
