import type { Document } from "./document.ts";
import type { Json } from "./json.ts";
import { idOf, type Schema } from "./schema.ts";

/** A part of each document, and the pairs of enclosing parts, which differ where these do. */
interface Twins {
  parts: readonly [object, object];
  outer: Twins[];
  differ: boolean;
}

/** Finds schemas of two documents that are written alike, references followed, so that nothing in them differs. */
export class Same {
  readonly #documents: readonly [Document, Document];
  readonly #known = new Map<string, Twins>();

  constructor(old: Document, now: Document) {
    this.#documents = [old, now];
  }

  are(old: Schema, now: Schema): boolean {
    const [was, is] = this.#documents;
    if (was.isOld !== is.isOld || old.excludesNull !== now.excludesNull) return false;
    if (old.roots.length !== now.roots.length) return false;
    return old.roots.every((root, index) => this.#areAlike(root, now.roots[index]!));
  }

  /** Compares two parts and all that they lead to, each pair once. */
  #areAlike(old: Json, now: Json): boolean {
    const waiting: Twins[] = [];
    /** Notes two members of a pair; whether they may be alike. */
    const enter = (one: unknown, other: unknown, outer?: Twins): boolean => {
      if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
        return one === other;
      const key = `${idOf(one)} ${idOf(other)}`;
      let twins = this.#known.get(key);
      if (twins === undefined) {
        this.#known.set(key, (twins = { parts: [one, other], outer: [], differ: false }));
        waiting.push(twins);
      }
      if (outer !== undefined) twins.outer.push(outer);
      return !twins.differ;
    };
    if (!enter(old, now)) return false;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!this.#membersOf(next.parts).every(([one, other]) => enter(one, other, next))) setApart(next);
    return enter(old, now);
  }

  /** What two parts have under each name, and behind their references. */
  #membersOf([one, other]: Twins["parts"]): [unknown, unknown][] {
    const [names, [was, is]] = [Object.keys(one), this.#documents];
    if (names.length !== Object.keys(other).length) return [[0, 1]];
    return names.flatMap((name) => {
      const [left, right] = [one, other].map((each) => (each as Record<string, unknown>)[name]);
      const isReference = /^\$(dynamicR|r)ef$/.test(name) && typeof left === "string" && left === right;
      return [[left, right], ...(isReference ? [[was.target(left, one), is.target(left, other)]] : [])] as [
        unknown,
        unknown,
      ][];
    });
  }
}

/** Two parts differ, and with them all around. */
function setApart(twins: Twins): void {
  const waiting = [twins];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!next.differ) waiting.push(...next.outer);
    next.differ = true;
  }
}
