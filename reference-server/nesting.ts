/** Whether JSON holds more values than that, those inside arrays and objects included. Does not recurse. */
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
 * Whether arrays and objects stand inside each other on more levels than that. What walks JSON later on recurses, and a
 * stack has an end; this does not recurse.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level.flatMap((each) => Object.values(each).filter(isObject));
  }
  return false;
}
