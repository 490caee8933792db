import { isDeepStrictEqual } from "node:util";
import { step, type Json, type JsonObject } from "./document.ts";
import type { Findings, Found, Spot } from "./findings.ts";
import type { Kind } from "./kinds.ts";
import { annotations, listedValues, typesOf, type View } from "./schema-view.ts";

/** A comparison of schemas: what clients send, or what servers answer. */
export interface SchemaSpot extends Spot {
  side: "request" | "answer";
}

/** Compares words and examples: titles, descriptions, marks. */
export function compareTexts(
  findings: Findings,
  spot: Spot,
  old: JsonObject,
  now: JsonObject,
  at: Found,
): void {
  for (const name of annotations) {
    if (isDeepStrictEqual(old[name], now[name])) continue;
    findings.add(
      "text_changed",
      { ...spot, where: `${spot.where} (${name})` },
      {
        old: old[name],
        new: now[name],
        ...deeper(at, name),
      },
    );
  }
}

const deeper = (at: Found, name: string): Found => ({
  ...(at.oldPointer === undefined ? {} : { oldPointer: `${at.oldPointer}/${step(name)}` }),
  ...(at.newPointer === undefined ? {} : { newPointer: `${at.newPointer}/${step(name)}` }),
});

/** Where a keyword stands in both. */
export const pointers = (old: View, now: View, name: string): Found => deeper(places(old, now), name);
/** Where two views stand. */
export const places = (old: View, now: View): Found => ({ oldPointer: old.pointer, newPointer: now.pointer });

/** @returns false when the types have nothing in common, so that nothing below them can be compared */
export function compareTypes(findings: Findings, spot: SchemaSpot, old: View, now: View): boolean {
  const before = typesOf(old);
  const after = typesOf(now);
  if (isDeepStrictEqual(before, after)) return true;
  const holds = (types: Set<string> | null, type: string): boolean =>
    types === null || types.has(type) || (type === "integer" && types.has("number"));
  const lost = before === null ? after !== null : [...before].some((type) => !holds(after, type));
  const gained = after === null ? before !== null : [...after].some((type) => !holds(before, type));
  const found = {
    old: before === null ? "any" : [...before].join(" or "),
    new: after === null ? "any" : [...after].join(" or "),
    ...pointers(old, now, "type"),
  };
  if (lost && gained) findings.add(`${spot.side}_type_changed`, spot, found);
  else if (lost) findings.add(`${spot.side}_type_narrowed`, spot, found);
  else if (gained) findings.add(`${spot.side}_type_widened`, spot, found);
  return before === null || after === null || [...before].some((type) => holds(after, type));
}

/** Compares `enum` and `const`, which are both lists of values. */
export function compareValues(findings: Findings, spot: SchemaSpot, old: View, now: View): void {
  const before = listedValues(old);
  const after = listedValues(now);
  if (before === null && after === null) return;
  const keyword = (view: View): string => (view.keywords["const"] === undefined ? "enum" : "const");
  const at: Found = {
    oldPointer: `${old.pointer}/${keyword(old)}`,
    newPointer: `${now.pointer}/${keyword(now)}`,
  };
  if (before === null) findings.add(`${spot.side}_enum_introduced`, spot, { new: after, ...at });
  else if (after === null) findings.add(`${spot.side}_enum_lifted`, spot, { old: before, ...at });
  else {
    const lacks = (values: Json[], value: Json): boolean =>
      !values.some((one) => isDeepStrictEqual(one, value));
    for (const value of before.filter((one) => lacks(after, one))) {
      findings.add(`${spot.side}_enum_value_removed`, spot, { old: value, ...at });
    }
    for (const value of after.filter((one) => lacks(before, one))) {
      findings.add(`${spot.side}_enum_value_added`, spot, { new: value, ...at });
    }
  }
}

/** Each bound, and whether a greater number lets more through. */
const bounds = {
  minimum: -1,
  exclusiveMinimum: -1,
  minLength: -1,
  minItems: -1,
  minProperties: -1,
  maximum: 1,
  exclusiveMaximum: 1,
  maxLength: 1,
  maxItems: 1,
  maxProperties: 1,
} as const;

/** Compares the least and the greatest numbers, lengths and counts. */
export function compareBounds(findings: Findings, spot: SchemaSpot, old: View, now: View): void {
  for (const [name, sign] of Object.entries(bounds)) {
    const before = old.keywords[name];
    const after = now.keywords[name];
    if (isDeepStrictEqual(before, after)) continue;
    // What is no number (OpenAPI 3.0's exclusiveMinimum: true) counts as tighter than nothing.
    const reach = (bound: Json | undefined): number =>
      bound === undefined || bound === false ? Infinity : sign * Number(bound);
    const kind: Kind =
      reach(after) > reach(before) ? `${spot.side}_bound_widened` : `${spot.side}_bound_narrowed`;
    findings.add(
      kind,
      { ...spot, where: `${spot.where} (${name})` },
      { old: before, new: after, ...pointers(old, now, name) },
    );
  }
}

const forms = ["pattern", "format", "multipleOf", "uniqueItems", "contentEncoding", "contentMediaType"];

/** Compares the keywords that ask for a form, of which cannot be told whether one takes in another. */
export function compareForms(findings: Findings, spot: SchemaSpot, old: View, now: View): void {
  for (const name of forms) {
    const before = old.keywords[name];
    const after = now.keywords[name];
    if (isDeepStrictEqual(before, after)) continue;
    const how = before === undefined ? "introduced" : after === undefined ? "lifted" : "changed";
    const found = { old: before, new: after, ...pointers(old, now, name) };
    findings.add(`${spot.side}_form_${how}`, { ...spot, where: `${spot.where} (${name})` }, found);
  }
}

/** Compares defaults: what an absent field of a request means. */
export function compareDefaults(findings: Findings, spot: SchemaSpot, old: View, now: View): void {
  const before = old.keywords["default"];
  const after = now.keywords["default"];
  if (isDeepStrictEqual(before, after)) return;
  const found = { old: before, new: after, ...pointers(old, now, "default") };
  const how = before === undefined ? "set" : after === undefined ? "unset" : "changed";
  findings.add(spot.side === "answer" ? "answer_default_changed" : `request_default_${how}`, spot, found);
}

const compared = new Set<string>([
  ...annotations,
  ...Object.keys(bounds),
  ...forms,
  ...[
    "type",
    "nullable",
    "enum",
    "const",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "items",
  ],
  ...["anyOf", "oneOf"],
]);

/** Keywords of which only a difference can be seen, not its direction; one that comes or goes has one. */
export function compareRest(findings: Findings, spot: SchemaSpot, old: View, now: View): void {
  for (const name of new Set([...Object.keys(old.keywords), ...Object.keys(now.keywords)])) {
    const before = old.keywords[name];
    const after = now.keywords[name];
    if (compared.has(name) || isDeepStrictEqual(before, after)) continue;
    const found = { old: before, new: after, ...pointers(old, now, name) };
    const at = { ...spot, where: `${spot.where} (${name})` };
    if (name === "x-values") {
      compareDocumentedValues(findings, at, before, after, found);
      continue;
    }
    const how = before === undefined ? "added" : after === undefined ? "removed" : "changed";
    findings.add(`${spot.side}_constraint_${how}`, at, found);
  }
}

/** `x-values`: what a parameter takes that is no enum, so that its refusal is the operation's own. */
function compareDocumentedValues(
  findings: Findings,
  spot: SchemaSpot,
  before: Json | undefined,
  after: Json | undefined,
  { oldPointer, newPointer }: Found,
): void {
  const at: Found = { ...(oldPointer && { oldPointer }), ...(newPointer && { newPointer }) };
  const [old, now] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
  for (const value of old) {
    if (!now.includes(value)) findings.add(`${spot.side}_enum_value_removed`, spot, { old: value, ...at });
  }
  for (const value of now) {
    if (!old.includes(value)) findings.add(`${spot.side}_enum_value_added`, spot, { new: value, ...at });
  }
}
