/** Maximum number of values in a document after expanding YAML anchors. */
const maxValues = 50_000_000;
/** Maximum nesting depth; documents that people write have about 40 levels. */
export const maxDepth = 500;

/** Why what YAML gives is refused, and the path there if it is about one place. */
export class BeyondLimits extends Error {
  readonly path: readonly string[] | undefined;

  constructor(why: string, path?: readonly string[]) {
    super(why);
    this.path = path;
  }
}

/**
 * Looks at what YAML gives, each shared part once. The integers among big ones that a number holds exactly become numbers.
 * @throws BeyondLimits when a value contains itself, as an alias can make it, or there is too much
 */
export function withinLimits(root: unknown): unknown {
  const whole = { root };
  /** The number of values in each object, counting shared parts each time they occur; 0 while it is looked at. */
  const known = new Map<object, number>();
  const path: string[] = [];
  const sizeOf = (object: object): number => {
    const found = known.get(object);
    if (found === 0) throw new BeyondLimits("is an alias of what it is part of", path.slice(1));
    if (found !== undefined) return found;
    if (path.length > maxDepth + 1) throw new BeyondLimits(`is nested more than ${maxDepth} levels deep`);
    known.set(object, 0);
    let size = 1;
    const members = object as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const inner = members[name];
      if (typeof inner === "bigint" && Number.isSafeInteger(Number(inner))) members[name] = Number(inner);
      if (typeof inner !== "object" || inner === null) size += 1;
      else {
        path.push(name);
        size += sizeOf(inner);
        path.pop();
      }
    }
    known.set(object, size);
    return size;
  };
  if (sizeOf(whole) > maxValues)
    throw new BeyondLimits(`has more than ${maxValues} values once its YAML anchors are written out`);
  return whole.root;
}
