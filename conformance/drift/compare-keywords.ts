import type { Comparison, Pair } from "./comparison.ts";
import type { Found, Vocabularies } from "./finding.ts";
import { canonical, itemsOf, type Json } from "./json.ts";
import { paired } from "./paired.ts";
import { isWithin, lowerBounds, upperBounds, type Bound, type Schema } from "./schema.ts";
import { forms, isFormWithin } from "./sets.ts";

/** Where a keyword occurs on both sides. */
const pointers = ({ old, new: now }: Pair, keyword: string): Found => ({
  oldPointer: old.at(keyword),
  newPointer: now.at(keyword),
});

/** Formats of which no number is an example. */
const textFormats = new Set("date date-time time uuid email uri ipv4 ipv6 hostname".split(" "));

/** The types of a value; as text, null cannot be written. */
function typesOnWire({ types }: Schema, isText: boolean): Set<string> | null {
  return isText && types !== null && types.size > 1
    ? new Set([...types].filter((type) => type !== "null"))
    : types;
}

const shownTypes = (types: Set<string> | null): string =>
  types === null ? "any" : [...types].join(" or ") || "nothing";

/** @returns false when the types are disjoint, so that nothing inside can be compared */
export function compareTypes(pair: Pair): boolean {
  const { old, new: now, mode } = pair;
  const [before, after] = [old, now].map((schema) => typesOnWire(schema, mode.text));
  const sortedTypes = (types: Set<string> | null | undefined): string =>
    canonical(types && [...types].toSorted());
  if (sortedTypes(before) === sortedTypes(after)) return true;
  const isText = (schema: Schema): boolean =>
    mode.text &&
    schema.types?.has("string") === true &&
    !schema.all("format").some((one) => textFormats.has(String(one)));
  const scalar = (type: string): boolean => type !== "object" && type !== "array" && type !== "null";
  const holds = (schema: Schema, type: string): boolean =>
    isWithin(new Set([type]), schema === old ? before! : after!) || (isText(schema) && scalar(type));
  const lost = before === null ? after !== null : [...before!].some((type) => !holds(now, type));
  const gained = after === null ? before !== null : [...after!].some((type) => !holds(old, type));
  const found = { old: shownTypes(before!), new: shownTypes(after!), ...pointers(pair, "type") };
  const { side } = mode;
  if (lost && gained) pair.tell(`${side}_type_changed`, found);
  else if (lost) pair.tell(isImplied(old, after!) ? `${side}_type_stated` : `${side}_type_narrowed`, found);
  else if (gained)
    pair.tell(isImplied(now, before!) ? `${side}_type_unstated` : `${side}_type_widened`, found);
  return (
    before === null ||
    after === null ||
    [...before!].some((type) => holds(now, type)) ||
    [...after!].some((type) => holds(old, type))
  );
}

/** A schema without a type but with fields or items is treated as an object or list, whatever else it admits. */
function isImplied(untyped: Schema, types: Set<string> | null): boolean {
  if (untyped.types !== null || types === null) return false;
  const meant =
    untyped.all("properties").length > 0 ? "object" : untyped.all("items").length > 0 ? "array" : undefined;
  return meant !== undefined && [...types].every((type) => type === meant || type === "null");
}

/** Compares `enum` and `const`, which both list values, and the documented values of `x-values`. */
export function compareValues(comparison: Comparison, pair: Pair): void {
  const { old, new: now, mode } = pair;
  const vocabulary = vocabularyOf(comparison, old, now);
  const kind =
    vocabulary ??
    ({ added: `${mode.side}_enum_value_added`, removed: `${mode.side}_enum_value_removed` } as const);
  const written = (schema: Schema): string => (schema.all("enum").length > 0 ? "enum" : "const");
  const at = { oldPointer: old.at(written(old)), newPointer: now.at(written(now)) };
  const [before, after] = [old.values, now.values];
  if (before === null && after !== null) pair.tell(`${mode.side}_enum_introduced`, { new: after, ...at });
  else if (before !== null && after === null) pair.tell(`${mode.side}_enum_lifted`, { old: before, ...at });
  else compareLists(pair, kind, before ?? [], after ?? [], at);
  // The author of x-extensible-enum says that answers may bring values that it does not list.
  const lists = mode.side === "request" ? ["x-values", "x-extensible-enum"] : ["x-values"];
  const documented = (schema: Schema): Json[] => lists.flatMap((name) => schema.all(name)).flatMap(itemsOf);
  compareLists(pair, kind, documented(old), documented(now), pointers(pair, "x-values"));
}

/** The kinds of change for a list that has its own, when both schemas are the same component. */
function vocabularyOf({ settings }: Comparison, old: Schema, now: Schema): Vocabularies[string] | undefined {
  const [was, is] = [old, now].map(
    (schema) => /^\/components\/schemas\/([^/]+)\/enum$/.exec(schema.at("enum"))?.[1],
  );
  return was !== undefined && was === is ? settings.vocabularies?.[was] : undefined;
}

function compareLists(
  pair: Pair,
  kind: Vocabularies[string],
  before: Json[],
  after: Json[],
  at: Found,
): void {
  // Null is compared with the types.
  const named = (values: Json[]): Map<string, Json> =>
    new Map(values.filter((value) => value !== null).map((value) => [canonical(value), value]));
  for (const [was, is] of paired(named(before), named(after))) {
    if (is === undefined) pair.tell(kind.removed, { old: was, ...at });
    else if (was === undefined) pair.tell(kind.added, { new: is, ...at });
  }
}

/** Compares minimum and maximum numbers, lengths and counts. */
export function compareBounds(pair: Pair): void {
  for (const name of [...lowerBounds, ...upperBounds]) {
    const [before, after] = [pair.old.bound(name), pair.new.bound(name)];
    if (before?.value === after?.value && before?.exclusive === after?.exclusive) continue;
    const sign = name.startsWith("min") ? 1 : -1;
    const reach = (bound: Bound | undefined): number =>
      bound === undefined ? -Infinity : sign * bound.value;
    const isTighter =
      reach(after) === reach(before) ? after?.exclusive === true : reach(after) > reach(before);
    const shown = (bound: Bound | undefined): unknown =>
      bound && (bound.exclusive ? `${bound.value}, itself excluded` : bound.value);
    const keyword = [pair.old, pair.new].some((schema) => schema.all(name).length > 0)
      ? name
      : `exclusive${name[0]!.toUpperCase()}${name.slice(1)}`;
    const found = { old: shown(before), new: shown(after), ...pointers(pair, keyword) };
    pair.tell(`${pair.mode.side}_bound_${isTighter ? "narrowed" : "widened"}`, found, ` (${name})`);
  }
}

const formNames = [...new Set(forms.map(([name]) => name))];

/** Compares format keywords, for which it is rarely known whether one includes another. */
export function compareForms(pair: Pair): void {
  for (const name of formNames) {
    const [before, after] = [pair.old.asked(name), pair.new.asked(name)];
    const [left, right] = [without(before, after), without(after, before)];
    if (left.length === 0 && right.length === 0) continue;
    const how =
      left.length === 0
        ? "introduced"
        : right.length === 0
          ? "lifted"
          : isFormWithin(name, left[0]!, right[0]!)
            ? "lifted"
            : isFormWithin(name, right[0]!, left[0]!)
              ? "introduced"
              : "changed";
    const found = { old: left[0], new: right[0], ...pointers(pair, name) };
    pair.tell(`${pair.mode.side}_form_${how}`, found, ` (${name})`);
  }
}

const without = (values: Json[], others: Json[]): Json[] => {
  const known = new Set(others.map((value) => canonical(value)));
  return values.filter((value) => !known.has(canonical(value)));
};

/** Compares defaults: the meaning of an absent field in a request. */
export function compareDefaults(pair: Pair): void {
  const [before, after] = [pair.old.all("default")[0], pair.new.all("default")[0]];
  if (canonical(before) === canonical(after)) return;
  const { side, required } = pair.mode;
  if (side === "request" && required === true) return;
  const found = { old: before, new: after, ...pointers(pair, "default") };
  const how = before === undefined ? "set" : after === undefined ? "unset" : "changed";
  pair.tell(side === "answer" ? "answer_default_changed" : `request_default_${how}`, found);
}

const compared = new Set([
  ...lowerBounds,
  ...upperBounds,
  ...formNames,
  ...`type enum const default properties required additionalProperties unevaluatedProperties items prefixItems
  additionalItems unevaluatedItems patternProperties propertyNames anyOf oneOf not if then else contains
  dependentRequired dependentSchemas dependencies contentSchema exclusiveMinimum exclusiveMaximum discriminator
  x-values x-extensible-enum`.split(/\s+/),
]);

/** Reports differences without a rule: a person must decide whether they matter. */
export function compareRest(pair: Pair): void {
  const { old, new: now } = pair;
  for (const name of new Set([...old.keywords, ...now.keywords])) {
    if (compared.has(name)) continue;
    const [before, after] = [old.all(name), now.all(name)];
    if (canonical(before, 5000) === canonical(after, 5000)) continue;
    pair.tell(
      "unclassified_changed",
      { old: before[0], new: after[0], ...pointers(pair, name) },
      ` (${name})`,
    );
  }
  const [before, after] = [old.all("discriminator"), now.all("discriminator")];
  if (canonical(before) !== canonical(after) && (old.choices.length === 0 || now.choices.length === 0)) {
    pair.tell("discriminator_changed", { old: before[0], new: after[0], ...pointers(pair, "discriminator") });
  }
}
