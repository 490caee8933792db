import { objectsIn, type Document } from "./document.ts";
import { canonical, kept, type Json } from "../../base/data.ts";
import type { Schema } from "./schema.ts";

/** A part of each document, and the parts with the references that lead there. */
interface Twins {
  parts: readonly [Json, Json];
  key: string;
  from?: Twins;
}

/** Finds schemas of two documents that are written alike, references followed, so that nothing in them differs. */
export function sameIn(was: Document, is: Document): (one: Schema, other: Schema) => boolean {
  const known = new Map<Json, ReturnType<typeof writtenIn>>();
  const learn = (document: Document, raw: Json) => kept(known, raw, () => writtenIn(document, raw));
  const [different, equal] = [new Set<string>(), new Set<string>()];
  return (one, other) => {
    const [old, now] = one.document === was ? [one, other] : [other, one];
    if (old.document !== was || now.document !== is) return false;
    if (was.isOld !== is.isOld || old.excludesNull !== now.excludesNull) return false;
    if (old.roots.length !== now.roots.length) return false;
    const all = new Map<string, Twins>();
    for (const [index, root] of old.roots.entries())
      all.set(String(index), { parts: [root, now.roots[index]!], key: String(index) });
    for (const twins of all.values()) {
      const [before, after] = [learn(was, twins.parts[0]), learn(is, twins.parts[1])];
      if (before.text !== after.text || different.has(twins.key)) {
        for (let outer: Twins | undefined = twins; outer?.from; outer = outer.from) different.add(outer.key);
        return false;
      }
      for (const [reference, target] of before.targets) {
        const counterpart = after.targets.get(reference)!;
        const key = [was.pointerOf(target) ?? target, is.pointerOf(counterpart) ?? counterpart].join(" ");
        if (!all.has(key) && !equal.has(key))
          all.set(key, { parts: [target, counterpart], key, from: twins });
      }
    }
    for (const { key, from } of all.values()) if (from) equal.add(key);
    return true;
  };
}

/** A part as text, and what its references lead to. */
function writtenIn(document: Document, raw: Json) {
  const targets = new Map<string, Json>();
  for (const object of objectsIn(raw).keys())
    for (const reference of [object["$ref"], object["$dynamicRef"]])
      if (typeof reference === "string") targets.set(reference, document.target(reference, object) ?? null);
  return { text: canonical(raw), targets };
}
