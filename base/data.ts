/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The own member of an object, or undefined. */
export const member = (value: unknown, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The members of an object by name; empty for anything else. */
export const entriesOf = (value: unknown): [string, Json][] => (isObject(value) ? Object.entries(value) : []);

/** The items of a list; empty for anything else. */
export const itemsOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** A step of a JSON pointer, escaped. */
export const step = (name: string | number): string =>
  String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** The steps of a JSON pointer, unescaped; of a reference within a document, too. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The value at the steps of a pointer; undefined when there is none. */
export function valueAt(root: unknown, steps: readonly string[]): Json | undefined {
  let value = root;
  for (const name of steps) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value as Json;
}

/**
 * A value as JSON text with sorted names, so that equal values have equal text; cut somewhere after `max` characters.
 * @param leavesOut the members that are left out
 */
export function canonical(
  value: unknown,
  max = Infinity,
  leavesOut = (_name: string, _value: unknown): boolean => false,
): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value === undefined ? "" : JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const name of isList ? Object.keys(value) : Object.keys(value).toSorted()) {
    const inner = (value as Record<string, unknown>)[name];
    if (text.length > max) return text;
    if (leavesOut(name, inner) || (inner === undefined && !isList)) continue;
    if (text.length > 1) text += ",";
    if (!isList) text += `${JSON.stringify(name)}:`;
    text += canonical(inner, max - text.length, leavesOut);
  }
  return text + (isList ? "]" : "}");
}

/** The values by their canonical text: equal ones once. */
export const byText = (values: readonly Json[]): Map<string, Json> =>
  new Map(values.map((value) => [canonical(value), value]));

interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** What a map has under a key; what is found for it is kept there. */
export function kept<Key, Value>(map: Store<Key, Value>, key: Key, find: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = find()));
  return value;
}

/** What two lists have under each key, those of the first in front; undefined where one has nothing there. */
export function* paired<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): Generator<[was: Value, is: Value | undefined, key: string] | [was: undefined, is: Value, key: string]> {
  for (const [key, was] of before) yield [was, after.get(key), key];
  for (const [key, is] of after) if (!before.has(key)) yield [undefined, is, key];
}
