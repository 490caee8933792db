import { objectsIn, type Document } from "./document.ts";
import { canonical, isObject, kept, type Json } from "../../base/data.ts";
import type { Schema } from "./schema.ts";

/** A part of each document, and the parts with the references that lead there. */
interface Twins {
  parts: readonly [Json, Json];
  key: string;
  from?: Twins;
}

/** Finds schemas of two documents that are written alike, references followed, so that nothing in them differs. */
export function sameIn(was: Document, is: Document): (old: Schema, now: Schema) => boolean {
  const known = new Map<Json, ReturnType<typeof writtenIn>>();
  const learn = (document: Document, raw: Json) => kept(known, raw, () => writtenIn(document, raw));
  const [different, equal] = [new Set<string>(), new Set<string>()];
  return (old, now) => {
    if (was.isOld !== is.isOld || old.excludesNull !== now.excludesNull) return false;
    const all = new Map<string, Twins>([["", { parts: [rootOf(old), rootOf(now)], key: "" }]]);
    for (const twins of all.values()) {
      const [one, other] = [learn(was, twins.parts[0]), learn(is, twins.parts[1])];
      if (one.text !== other.text || different.has(twins.key)) {
        for (let outer: Twins | undefined = twins; outer?.from; outer = outer.from) different.add(outer.key);
        return false;
      }
      for (const [reference, target] of one.targets) {
        const found = other.targets.get(reference)!;
        const key = [was.pointerOf(target) ?? target, is.pointerOf(found) ?? found].join(" ");
        if (!all.has(key) && !equal.has(key)) all.set(key, { parts: [target, found], key, from: twins });
      }
    }
    for (const { key } of all.values()) if (key !== "") equal.add(key);
    return true;
  };
}

/** All that a schema consists of. */
const rootOf = ({ roots: [first, ...others], roots }: Schema): Json =>
  isObject(first) && others.length === 0 ? first : [...roots];

/** A part as text, and what its references lead to. */
function writtenIn(document: Document, raw: Json) {
  const targets = new Map<string, Json>();
  for (const object of objectsIn(raw).keys())
    for (const reference of [object["$ref"], object["$dynamicRef"]])
      if (typeof reference === "string") targets.set(reference, document.target(reference, object) ?? null);
  return { text: canonical(raw), targets };
}
