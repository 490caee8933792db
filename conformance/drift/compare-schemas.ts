import { isDeepStrictEqual } from "node:util";
import { isObject, member, step, type Json } from "./document.ts";
import type { Findings } from "./findings.ts";
import type { Kind } from "./kinds.ts";
import {
  compareBounds,
  compareDefaults,
  compareForms,
  compareRest,
  compareTexts,
  compareTypes,
  compareValues,
  places,
  pointers,
  type SchemaSpot,
} from "./compare-keywords.ts";
import { annotations, promisedFields, propertiesOf, typesOf, viewOf, type View } from "./schema-view.ts";
import { isVocabulary } from "./vocabularies.ts";

/** Where a comparison is, with the pairs of schemas that enclose it, so that a recursive schema ends. */
interface NestedSpot extends SchemaSpot {
  within: ReadonlySet<string>;
}

/** Compares one schema of both documents, all the way down. */
export function compareSchemas(
  findings: Findings,
  spot: SchemaSpot,
  old: Json | undefined,
  now: Json | undefined,
): void {
  compare(findings, { ...spot, within: new Set() }, old, now);
}

function compare(
  findings: Findings,
  spot: NestedSpot,
  oldSchema: Json | undefined,
  newSchema: Json | undefined,
): void {
  const old = viewOf(findings.old, oldSchema);
  const now = viewOf(findings.new, newSchema);
  const pair = `${old.pointer}|${now.pointer}`;
  if (spot.within.has(pair)) return;
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  if (old.open || now.open) {
    compareOpen(findings, spot, old, now);
    return;
  }
  if (!isDeepStrictEqual(old.openParts, now.openParts)) {
    findings.add("open_changed", spot, { old: old.openParts, new: now.openParts, ...at });
  }
  compareTexts(findings, spot, old.keywords, now.keywords, at);
  const inner = { ...spot, within: new Set([...spot.within, pair]) };
  if (compareAlternatives(findings, inner, [old, oldSchema], [now, newSchema])) return;
  if (!compareTypes(findings, spot, old, now)) return;
  if (!(isVocabulary(findings, old.pointer) && old.pointer === now.pointer)) {
    compareValues(findings, spot, old, now);
  }
  compareBounds(findings, spot, old, now);
  compareForms(findings, spot, old, now);
  compareDefaults(findings, spot, old, now);
  compareFields(findings, inner, old, now);
  compareExtraFields(findings, inner, old, now);
  compareItems(findings, inner, old, now);
  compareRest(findings, spot, old, now);
}

function compareOpen(findings: Findings, spot: NestedSpot, old: View, now: View): void {
  const found = {
    old: old.keywords,
    new: now.keywords,
    oldPointer: old.pointer,
    newPointer: now.pointer,
  };
  if (old.open && now.open) {
    if (!isDeepStrictEqual(old.keywords, now.keywords)) findings.add("open_changed", spot, found);
  } else if (now.open) {
    findings.add("obligation_dropped", spot, { ...found, new: "open" });
  } else {
    const kind = spot.side === "request" ? "request_obligation_added" : "obligation_added";
    findings.add(kind, spot, { ...found, old: "open" });
  }
}

/** The schemas of which one must fit; undefined when the schema is a single one. */
function alternativesOf({ keywords }: View): { keyword: string; members: Json[] } | undefined {
  for (const keyword of ["anyOf", "oneOf"]) {
    const members = keywords[keyword];
    if (Array.isArray(members)) return { keyword, members };
  }
  return undefined;
}

const bindsBeside = ({ keywords }: View, names: string[]): boolean =>
  Object.keys(keywords).some((name) => !annotations.has(name) && !names.includes(name));

/** Compares `anyOf` and `oneOf`. @returns true when that is all there is to compare */
function compareAlternatives(
  findings: Findings,
  spot: NestedSpot,
  [old, oldSchema]: [View, Json | undefined],
  [now, newSchema]: [View, Json | undefined],
): boolean {
  const before = alternativesOf(old);
  const after = alternativesOf(now);
  if (before === undefined && after === undefined) return false;
  const whole = ["anyOf", "oneOf"];
  if (before === undefined || after === undefined) {
    // `X` that becomes `anyOf: [X, Y]`, or the other way, is a choice of one beside a choice of two.
    const chosen = before === undefined ? now : old;
    const single = before === undefined ? old : now;
    if (bindsBeside(chosen, whole) || !bindsBeside(single, [])) {
      const kind: Kind =
        before === undefined ? `${spot.side}_constraint_added` : `${spot.side}_constraint_removed`;
      const found = { old: before?.members, new: after?.members, ...places(old, now) };
      findings.add(kind, spot, found);
      return false;
    }
    matchAlternatives(
      findings,
      spot,
      before?.members ?? [oldSchema!],
      after?.members ?? [newSchema!],
      old,
      now,
    );
    return true;
  }
  if (before.keyword !== after.keyword) {
    const found = { old: before.keyword, new: after.keyword, ...places(old, now) };
    findings.add(`${spot.side}_constraint_changed`, spot, found);
  }
  matchAlternatives(findings, spot, before.members, after.members, old, now);
  return !bindsBeside(old, whole) && !bindsBeside(now, whole);
}

function matchAlternatives(
  findings: Findings,
  spot: NestedSpot,
  before: readonly Json[],
  after: readonly Json[],
  old: View,
  now: View,
): void {
  const left = [...before];
  const right = [...after];
  const take = (alike: (one: Json, other: Json) => boolean): void => {
    for (const one of [...left]) {
      const other = right.find((candidate) => alike(one, candidate));
      if (other === undefined) continue;
      left.splice(left.indexOf(one), 1);
      right.splice(right.indexOf(other), 1);
      compare(findings, { ...spot, where: `${spot.where}${alternative(one)}` }, one, other);
    }
  };
  take((one, other) => member(one, "$ref") !== undefined && member(one, "$ref") === member(other, "$ref"));
  take(isDeepStrictEqual);
  take((one, other) => likeness(findings, one, other) > 0.5);
  for (const one of left) {
    findings.add(`${spot.side}_alternative_removed`, spot, {
      old: one,
      ...places(old, now),
      oldPointer: findings.old.pointerOf(one) ?? old.pointer,
    });
  }
  for (const other of right) {
    findings.add(`${spot.side}_alternative_added`, spot, {
      new: other,
      ...places(old, now),
      newPointer: findings.new.pointerOf(other) ?? now.pointer,
    });
  }
}

const alternative = (schema: Json): string => {
  const reference = member(schema, "$ref");
  return typeof reference === "string" ? ` (${reference.slice(reference.lastIndexOf("/") + 1)})` : "";
};

/** From 0 to 1: how much two alternatives look like one schema that was changed. */
function likeness(findings: Findings, one: Json, other: Json): number {
  const old = viewOf(findings.old, one);
  const now = viewOf(findings.new, other);
  const names = [Object.keys(propertiesOf(old)), Object.keys(propertiesOf(now))] as const;
  if (names[0].length === 0 && names[1].length === 0) {
    return isDeepStrictEqual(typesOf(old), typesOf(now)) ? 1 : 0;
  }
  const shared = names[0].filter((name) => names[1].includes(name)).length;
  return shared / Math.max(names[0].length, names[1].length);
}

function compareFields(findings: Findings, spot: NestedSpot, old: View, now: View): void {
  const { side } = spot;
  const [before, after] = [propertiesOf(old), propertiesOf(now)];
  const [promised, promises] = [promisedFields(findings.old, old), promisedFields(findings.new, now)];
  const closed = now.keywords["additionalProperties"] === false;
  const names = new Set([...Object.keys(before), ...Object.keys(after), ...promised, ...promises]);
  for (const name of names) {
    const field = { ...spot, where: `${spot.where}${spot.where.endsWith(":") ? " " : "."}${name}` };
    const [was, is] = [member(before, name), member(after, name)];
    const oldPointer = `${old.pointer}/properties/${step(name)}`;
    const newPointer = `${now.pointer}/properties/${step(name)}`;
    if (was !== undefined && is === undefined) {
      const removed = { old: was, oldPointer: findings.old.pointerOf(was) ?? oldPointer, newPointer };
      if (viewOf(findings.old, was).open) findings.add("open_changed", field, removed);
      else if (side === "request") {
        findings.add(closed ? "request_field_refused" : "request_field_removed", field, removed);
      } else
        findings.add(
          promised.has(name) ? "answer_field_removed" : "answer_optional_field_removed",
          field,
          removed,
        );
      continue;
    }
    if (was === undefined && is !== undefined) {
      const added = { new: is, oldPointer, newPointer: findings.new.pointerOf(is) ?? newPointer };
      const needed = side === "request" && promises.has(name);
      findings.add(needed ? "request_required_field_added" : `${side}_field_added`, field, added);
      continue;
    }
    // A promise that ends because the field is open now is told as that, below.
    const opened = viewOf(findings.new, is).open || viewOf(findings.old, was).open;
    if (promised.has(name) !== promises.has(name) && !opened) {
      const how = promises.has(name) ? "required" : "optional";
      const found = {
        old: promised.has(name) ? "required" : "optional",
        new: how,
        oldPointer: promised.has(name) ? `${old.pointer}/required` : oldPointer,
        newPointer: promises.has(name) ? `${now.pointer}/required` : newPointer,
      };
      findings.add(`${side}_field_now_${how}`, field, found);
    }
    if (was !== undefined) compare(findings, field, was, is);
  }
}

function compareExtraFields(findings: Findings, spot: NestedSpot, old: View, now: View): void {
  const before = old.keywords["additionalProperties"];
  const after = now.keywords["additionalProperties"];
  if (isDeepStrictEqual(before ?? true, after ?? true)) return;
  const extra = { ...spot, where: `${spot.where} (additionalProperties)` };
  if (isObject(before) && isObject(after)) compare(findings, extra, before, after);
  else {
    // Fields of any kind let more through than fields of one kind, and these more than none.
    const reach = (value: Json | undefined): number => (value === false ? 0 : isObject(value) ? 1 : 2);
    const how = reach(after) > reach(before) ? "allowed" : "refused";
    const found = { old: before ?? true, new: after ?? true, ...pointers(old, now, "additionalProperties") };
    findings.add(`${spot.side}_extra_fields_${how}`, extra, found);
  }
}

function compareItems(findings: Findings, spot: NestedSpot, old: View, now: View): void {
  const [before, after] = [old.keywords["items"], now.keywords["items"]];
  if (before === undefined && after === undefined) return;
  compare(
    findings,
    { ...spot, where: `${spot.where}${spot.where.endsWith(":") ? " " : "."}*` },
    before,
    after,
  );
}
