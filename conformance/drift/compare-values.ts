import type { Comparison, Pair } from "./comparison.ts";
import type { Vocabularies } from "./finding.ts";
import { canonical, itemsOf, type Json, paired } from "./json.ts";
import { isWithin, type Schema } from "./schema.ts";

type Types = Set<string> | null;

/** Formats of which no number is an example. */
const textFormats = new Set("date date-time time uuid email uri ipv4 ipv6 hostname".split(" "));

/** @returns false when the types are disjoint, so that nothing inside can be compared */
export function compareTypes(pair: Pair): boolean {
  const { old, new: now, mode } = pair;
  const { text, side } = mode;
  /** As text, null cannot be written. */
  const onWire = ({ types }: Schema): Types =>
    text && types !== null && types.size > 1 ? new Set([...types].filter((type) => type !== "null")) : types;
  /** As text, a string may be any scalar. */
  const taken = (schema: Schema): Types => {
    const types = onWire(schema);
    const isText =
      text &&
      types?.has("string") === true &&
      !schema.all("format").some((one) => textFormats.has(String(one)));
    return isText ? new Set([...types!, "number", "boolean"]) : types;
  };
  const [before, after] = [onWire(old), onWire(now)];
  if (isWithin(before, after) && isWithin(after, before)) return true;
  const [lost, gained] = [!isWithin(before, taken(now)), !isWithin(after, taken(old))];
  const shown = (types: Types): string => (types === null ? "any" : [...types].join(" or ") || "nothing");
  const found = { old: shown(before), new: shown(after) };
  const tell = (how: "changed" | "stated" | "narrowed" | "unstated" | "widened"): void =>
    pair.tell(`${side}_type_${how}`, found, "", "type");
  if (lost && gained) tell("changed");
  else if (lost) tell(isImplied(old, after) ? "stated" : "narrowed");
  else if (gained) tell(isImplied(now, before) ? "unstated" : "widened");
  const overlap = (types: Types, others: Types): boolean =>
    types === null || [...types].some((type) => isWithin(new Set([type]), others));
  return overlap(before, taken(now)) || overlap(after, taken(old));
}

/** A schema without a type but with fields or items is treated as an object or list, whatever else it admits. */
function isImplied(untyped: Schema, types: Types): boolean {
  if (untyped.types !== null || types === null) return false;
  const isOf = (keyword: string): boolean => untyped.all(keyword).length > 0;
  const meant = isOf("properties") ? "object" : isOf("items") ? "array" : undefined;
  return meant !== undefined && [...types].every((type) => type === meant || type === "null");
}

/** Compares `enum` and `const`, which both list values, and the documented values of `x-values`. */
export function compareValues(comparison: Comparison, pair: Pair): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const kind = vocabularyOf(comparison, old, now) ?? {
    added: `${side}_enum_value_added` as const,
    removed: `${side}_enum_value_removed` as const,
  };
  const at = { oldPointer: old.at("enum", "const"), newPointer: now.at("enum", "const") };
  const [before, after] = [old.values, now.values];
  // Null is compared with the types.
  const named = (values: Json[]): Map<string, Json> =>
    new Map(values.filter((value) => value !== null).map((value) => [canonical(value), value]));
  const compare = (had: Json[], has: Json[], pointers?: typeof at): void => {
    for (const [was, is] of paired(named(had), named(has))) {
      if (is === undefined) pair.tell(kind.removed, { old: was, ...pointers }, "", "x-values");
      else if (was === undefined) pair.tell(kind.added, { new: is, ...pointers }, "", "x-values");
    }
  };
  if (before === null && after !== null) pair.tell(`${side}_enum_introduced`, { new: after, ...at });
  else if (before !== null && after === null) pair.tell(`${side}_enum_lifted`, { old: before, ...at });
  else compare(before ?? [], after ?? [], at);
  // The author of x-extensible-enum says that answers may bring values that it does not list.
  const lists = side === "request" ? ["x-values", "x-extensible-enum"] : ["x-values"];
  const documented = (schema: Schema): Json[] => lists.flatMap((name) => schema.all(name)).flatMap(itemsOf);
  compare(documented(old), documented(now));
}

/** The kinds of change for a list that has its own, when both schemas are the same component. */
function vocabularyOf({ settings }: Comparison, ...schemas: Schema[]): Vocabularies[string] | undefined {
  const [was, is] = schemas.map((one) => /^\/components\/schemas\/([^/]+)\/enum$/.exec(one.at("enum"))?.[1]);
  return was === is ? settings.vocabularies?.[was ?? ""] : undefined;
}
