/** What two lists have under each key, those of the first in front; undefined where one has nothing there. */
export function* paired<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): Generator<[was: Value, is: Value | undefined, key: string] | [was: undefined, is: Value, key: string]> {
  for (const [key, was] of before) yield [was, after.get(key), key];
  for (const [key, is] of after) if (!before.has(key)) yield [undefined, is, key];
}
