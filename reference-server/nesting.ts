/** Whether a JSON value contains more values than the limit, including nested ones. Does not recurse. */
export function hasMoreValuesThan(most: number, value: unknown): boolean {
  const waiting = [value];
  for (let seen = 1; waiting.length > 0;) {
    const next = waiting.pop();
    if (!isObject(next)) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    seen += members.length;
    if (seen > most) return true;
    for (const member of members) waiting.push(member);
  }
  return false;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Whether arrays and objects are nested deeper than the limit. Does not recurse; code that walks the JSON later does,
 * and its stack is finite.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level.flatMap((each) => Object.values(each).filter(isObject));
  }
  return false;
}
