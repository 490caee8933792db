import type { Found, Spot } from "./change.ts";
import type { Comparison } from "./comparison.ts";
import { canonical, isObject, member, step, type Json } from "../../base/data.ts";
import { isAnnotation } from "./raw-schema.ts";

/** A part of both documents: what each has there, if anything, and how a report calls the place. */
export interface Part extends Spot, Found {
  comparison: Comparison;
  old: Json | undefined;
  new: Json | undefined;
  oldPointer: string;
  newPointer: string;
}

/** The member of a part, behind its references. */
export const inside = (part: Part, name: string, where = part.where): Part =>
  within(part, name, where, member(part.old, name), member(part.new, name));

/** What each side has under a name inside a part, behind its references. */
export function within(part: Part, name: string, where: string, one?: Json, other?: Json): Part {
  const { comparison, oldPointer, newPointer } = part;
  const [old, now] = [comparison.old.resolved(one), comparison.new.resolved(other)];
  const pointers = {
    oldPointer: comparison.old.pointerOf(old) ?? `${oldPointer}/${step(name)}`,
    newPointer: comparison.new.pointerOf(now) ?? `${newPointer}/${step(name)}`,
  };
  return { ...part, where, old, new: now, ...pointers };
}

/** Reports the differing members of a part that no rule covers. @param known those with a rule */
export function compareOthers(part: Part, known: readonly string[]): void {
  if (!isObject(part.old) || !isObject(part.new)) return;
  for (const name of new Set([...Object.keys(part.old), ...Object.keys(part.new)])) {
    const [old, now] = [member(part.old, name), member(part.new, name)];
    if (known.includes(name) || isAnnotation(name) || canonical(old) === canonical(now)) continue;
    const at = within(part, name, `${part.where} (${name})`);
    part.comparison.add("unclassified_changed", { ...at, old, new: now });
  }
}

/**
 * Compares an answer, a header or a parameter that is marked `x-open` on at least one side, which so promises nothing.
 * @returns false when both sides bind, so that the rest has to be compared
 */
export function compareOpen(part: Part): boolean {
  const { comparison, side, old, new: now } = part;
  const [wasOpen, isOpen] = [old, now].map((schema) => member(schema, "x-open") === true);
  const added = side === "request" ? "request_obligation_added" : "obligation_added";
  if (!wasOpen && !isOpen) return false;
  if (!wasOpen) comparison.add("obligation_dropped", { ...part, new: "open" });
  else if (!isOpen) comparison.add(added, { ...part, old: "open" });
  else if (canonical(old) !== canonical(now)) comparison.add("open_changed", part);
  return true;
}
