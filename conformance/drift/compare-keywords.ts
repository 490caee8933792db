import type { Comparison, Pair } from "./comparison.ts";
import { demands } from "./demands.ts";
import { canonical, isObject, paired, itemsOf, type Json } from "./json.ts";
import type { Vocabularies } from "./change.ts";
import { isWithin, type Schema } from "./schema.ts";

/** What becomes of a demand where the new schema admits more, less, or something else. */
const changes = {
  bound: ["bound_widened", "bound_narrowed", "bound_narrowed"],
  form: ["form_lifted", "form_introduced", "form_changed"],
  constraint: ["constraint_removed", "constraint_added", "constraint_changed"],
} as const;

/** Compares what single keywords ask: bounds, forms, fields that are required together. */
export function compareDemands({ old, new: now, mode, tell }: Pair): void {
  for (const { kind, keywords, of, implies } of demands) {
    const [before, after] = [of(old), of(now)];
    const isWider = after.every((is) => before.some((was) => implies(was, is)));
    const isNarrower = before.every((was) => after.some((is) => implies(is, was)));
    if (isWider && isNarrower) continue;
    const found = { old: shownOf(before, after), new: shownOf(after, before) };
    const how = changes[kind][isWider ? 0 : isNarrower ? 1 : 2];
    tell(`${mode.side}_${how}`, found, ` (${keywords[0]})`, ...keywords);
  }
}

/** The first demand that the other side has not. */
function shownOf(demanded: readonly unknown[], others: readonly unknown[]): unknown {
  const found = demanded.find((one) => !others.some((other) => canonical(one) === canonical(other)));
  if (!isObject(found) || found["exclusive"] === undefined) return found;
  return found["exclusive"] ? `${Number(found["value"])}, itself excluded` : found["value"];
}

/** Compares defaults: the meaning of an absent field in a request. */
export function compareDefaults(pair: Pair): void {
  const { old, new: now, mode } = pair;
  const [before, after] = [old.all("default")[0], now.all("default")[0]];
  const isIdle = mode.side === "request" && mode.required === true;
  if (isIdle || canonical(before) === canonical(after)) return;
  const how = before === undefined ? "set" : after === undefined ? "unset" : "changed";
  const kind = mode.side === "answer" ? "answer_default_changed" : (`request_default_${how}` as const);
  pair.tell(kind, { old: before, new: after }, "", "default");
}

/** Compares the keywords that apply other schemas to a value, apart from its fields and items. */
export function compareConditions(comparison: Comparison, pair: Pair): void {
  const { old, new: now, sets } = pair;
  const inside = (name: string, was = old.child(name), is = now.child(name)): void =>
    comparison.inside(pair, ` (${name})`, was, is);
  const areAlike = (name: string): boolean => sets.areAlike(old.child(name), now.child(name));
  /** Whether both sides have a keyword; one that came or went is reported. */
  const haveBoth = (name: string): boolean => {
    const [had, has] = [old, now].map((schema) => schema.all(name).length > 0);
    if (had !== has) tellConstraint(pair, name, has === true ? "added" : "removed");
    return had === true && has === true;
  };
  if (haveBoth("not") && !areAlike("not")) {
    const [before, after] = [old.child("not"), now.child("not")];
    const how = sets.includes(after, before) ? "added" : sets.includes(before, after) ? "removed" : "changed";
    tellConstraint(pair, "not", how);
  }
  if (haveBoth("if")) {
    if (!areAlike("if")) tellConstraint(pair, "if", "changed");
    else for (const name of ["then", "else"]) inside(name);
  }
  if (haveBoth("contains")) {
    if ([old, now].every((schema) => schema.bound("maxContains") === undefined)) inside("contains");
    else if (!areAlike("contains")) tellConstraint(pair, "contains", "changed");
  }
  for (const [was = old.schemaOf(undefined), is = now.schemaOf(undefined), name] of paired(
    old.dependents,
    now.dependents,
  ))
    inside(`dependentSchemas ${name}`, was, is);
  for (const name of ["propertyNames", "contentSchema"])
    if (!old.child(name).isAnything || !now.child(name).isAnything) inside(name);
}

/** Reports that a keyword admits less, more or something else. */
function tellConstraint(pair: Pair, keyword: string, how: "added" | "removed" | "changed"): void {
  const found = { old: pair.old.all(keyword)[0], new: pair.new.all(keyword)[0] };
  pair.tell(`${pair.mode.side}_constraint_${how}`, found, ` (${keyword})`, keyword);
}

/** Keywords with a rule. */
const compared = new Set([
  ...demands.flatMap(({ keywords }) => keywords),
  ...`type enum const default properties required additionalProperties unevaluatedProperties items prefixItems
  additionalItems unevaluatedItems patternProperties propertyNames anyOf oneOf not if then else contains
  dependentSchemas contentSchema discriminator x-values x-extensible-enum`.split(/\s+/),
]);

/** Reports differences without a rule: a person must decide whether they matter. */
export function compareRest(pair: Pair): void {
  const { old, new: now } = pair;
  const haveChoices = old.choices.length > 0 && now.choices.length > 0;
  for (const name of new Set([...old.keywords, ...now.keywords])) {
    const isTag = name === "discriminator" && !haveChoices;
    const [before, after] = [old.all(name), now.all(name)];
    if ((compared.has(name) && !isTag) || canonical(before, 5000) === canonical(after, 5000)) continue;
    const found = { old: before[0], new: after[0] };
    if (isTag) pair.tell("discriminator_changed", found, "", name);
    else pair.tell("unclassified_changed", found, ` (${name})`, name);
  }
}

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
