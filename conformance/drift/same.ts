import type { Document } from "./document.ts";
import { kept, type Json } from "./json.ts";
import type { Schema } from "./schema.ts";

/** A part of each document, and the pairs of enclosing parts, which differ where these do. */
interface Twins {
  parts: readonly [object, object];
  outer: Twins[];
  differ: boolean;
}

/** Finds schemas of two documents that are written alike, references followed, so that nothing in them differs. */
export function sameIn(was: Document, is: Document): (old: Schema, now: Schema) => boolean {
  const known = new Map<object, Map<object, Twins>>();
  /** Pairs whose members are still to be compared. */
  const waiting: Twins[] = [];

  /** Notes two parts inside a pair. @returns whether they may be alike */
  function enter(one: unknown, other: unknown, outer?: Twins): boolean {
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
      return one === other;
    const others = kept(known, one, () => new Map<object, Twins>());
    const twins = kept(others, other, () => {
      const made = { parts: [one, other], outer: [], differ: false } as Twins;
      waiting.push(made);
      return made;
    });
    if (outer !== undefined) twins.outer.push(outer);
    return !twins.differ;
  }

  /** Whether what two parts have under each name, and behind their references, may be alike. */
  function mayBeAlike(twins: Twins): boolean {
    const [one, other] = twins.parts as [Record<string, unknown>, Record<string, unknown>];
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    return names.every((name) => {
      const [left, right] = [one[name], other[name]];
      if (!enter(left, right, twins)) return false;
      const isReference = /^\$(dynamicR|r)ef$/.test(name) && typeof left === "string";
      return !isReference || enter(was.target(left, one), is.target(left, other), twins);
    });
  }

  /** Compares two parts and all that they lead to, each pair once. */
  function areAlike(old: readonly Json[], now: readonly Json[]): boolean {
    enter(old, now);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!mayBeAlike(next)) setApart(next);
    return enter(old, now);
  }

  return (old, now) =>
    was.isOld === is.isOld && old.excludesNull === now.excludesNull && areAlike(old.roots, now.roots);
}

/** Marks two parts as different, and with them all that enclose them. */
function setApart(twins: Twins): void {
  const apart = new Set([twins]);
  for (const one of apart) {
    if (!one.differ) for (const outer of one.outer) apart.add(outer);
    one.differ = true;
  }
}
