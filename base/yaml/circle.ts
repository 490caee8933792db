/** A value that is being looked at: the members that are left, and the name by which it was come to. */
interface Open {
  value: unknown;
  left: [name: string, value: unknown][];
  name: string;
}

/** The path of the first value that contains itself, as an alias can make it; null where there is none. */
export function circleIn(root: unknown): string[] | null {
  const known = new Set<unknown>();
  const open: Open[] = [];
  const enter = (value: unknown, name: string): void => {
    if (typeof value !== "object" || value === null || known.has(value)) return;
    known.add(value);
    open.push({ value, left: Object.entries(value), name });
  };
  enter(root, "");
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.left.pop();
    if (next === undefined) open.pop();
    else if (known.has(next[1]) && open.some(({ value }) => value === next[1]))
      return [...open.slice(1).map(({ name }) => name), next[0]];
    else enter(next[1], next[0]);
  }
  return null;
}
