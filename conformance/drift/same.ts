import type { Document } from "./document.ts";
import type { Json } from "./json.ts";
import type { Schema } from "./schema.ts";

/** Maximum nesting of the parts that are followed, references included. */
const maxDepth = 2000;

/** Finds schemas of two documents that are written alike, references followed, so that nothing in them differs. */
export class Same {
  readonly #documents: readonly [Document, Document];
  readonly #known = new PairMap<boolean>();
  /** The pairs on the way and those that depend on them, each with its depth. */
  readonly #open = new PairMap<number>();
  readonly #waiting: [object, object][] = [];

  constructor(old: Document, now: Document) {
    this.#documents = [old, now];
  }

  are(old: Schema, now: Schema): boolean {
    const [was, is] = this.#documents;
    if (was.isOld !== is.isOld || old.excludesNull !== now.excludesNull) return false;
    return old.roots.length === now.roots.length && this.#compare([...old.roots], [...now.roots], 0) >= 0;
  }

  /** The least depth of a pair that has to be alike for these to be, Infinity where none has to; -1 for different ones. */
  #compare(one: Json | undefined, other: Json | undefined, depth: number): number {
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
      return one === other ? Infinity : -1;
    const known = this.#known.get(one, other);
    if (known !== undefined) return known ? Infinity : -1;
    const open = this.#open.get(one, other);
    if (open !== undefined) return open;
    if (depth > maxDepth) return -1;
    const first = this.#waiting.push([one, other]) - 1;
    this.#open.set(one, other, depth);
    const least = this.#compareMembers(one, other, depth);
    if (least >= 0 && least < depth) return least;
    // What depends on a pair that differs is forgotten, since it may be alike or not.
    for (const [left, right] of this.#waiting.splice(first)) {
      this.#open.set(left, right, undefined);
      if (least >= 0) this.#known.set(left, right, true);
    }
    if (least < 0) this.#known.set(one, other, false);
    return least < 0 ? -1 : Infinity;
  }

  #compareMembers(one: object, other: object, depth: number): number {
    const [names, [was, is]] = [Object.keys(one), this.#documents];
    if (names.length !== Object.keys(other).length) return -1;
    let least = Infinity;
    const compare = (left: Json | undefined, right: Json | undefined): boolean => {
      least = Math.min(least, this.#compare(left, right, depth + 1));
      return least >= 0;
    };
    for (const name of names) {
      const [left, right] = [one, other].map((each) => (each as Record<string, Json | undefined>)[name]);
      if (!compare(left, right)) return -1;
      const isReference = (name === "$ref" || name === "$dynamicRef") && typeof left === "string";
      if (isReference && !compare(was.target(left, one), is.target(left, other))) return -1;
    }
    return least;
  }
}

/** Values by two objects. */
class PairMap<Value> {
  readonly #maps = new WeakMap<object, Map<object, Value | undefined>>();

  get = (one: object, other: object): Value | undefined => this.#maps.get(one)?.get(other);

  set(one: object, other: object, value: Value | undefined): void {
    const inner = this.#maps.get(one);
    if (inner === undefined) this.#maps.set(one, new Map([[other, value]]));
    else inner.set(other, value);
  }
}
