import { compareChoices } from "./compare-choices.ts";
import type { Pair } from "./pair.ts";
import { asOne, type Found, type Kind } from "./change.ts";
import { byText, canonical, isObject, itemsOf, paired, step, type Json } from "../../base/data.ts";
import { mayBe, type Schema } from "./schema.ts";
import { announcedRemoval } from "./api.ts";
import { compared, demands, demandsOf, givenBy } from "./demands.ts";
import { isAnyType, isWithin, namesOf, typesNamed, without, type Types } from "./types.ts";

/** Compares two schemas: their own keywords, and what is inside. */
export function compareSchema(pair: Pair): void {
  const { old, new: now } = pair;
  if (old.open || now.open) return compareOpen(pair);
  if (old.saidOpenly !== now.saidOpenly) pair.add("open_changed", { old: old.openParts, new: now.openParts });
  if (compareChoices(pair) || !compareTypes(pair)) return;
  compareValues(pair);
  compareDemands(pair);
  compareDefaults(pair);
  const canBoth = (type: string): boolean => mayBe(old, type) && mayBe(now, type);
  if (canBoth("object")) compareFields(pair);
  if (canBoth("array")) compareItems(pair);
  compareConditions(pair);
  compareRest(pair);
}

function compareOpen({ old, new: now, mode, add }: Pair): void {
  const added = mode.side === "request" ? "request_obligation_added" : "obligation_added";
  if (!old.open && !old.isAnything) add("obligation_dropped", { new: "open" });
  if (!now.open && !now.isAnything) add(added, { old: "open" });
  if (old.open && now.open && old.said !== now.said) add("open_changed");
}

function compareFields(pair: Pair): void {
  const { old, new: now, mode } = pair;
  const [before, after] = [old.fields(mode.side), now.fields(mode.side)];
  const needed = [...old.required(mode.side), ...now.required(mode.side)];
  for (const name of new Set([...before.keys(), ...after.keys(), ...needed])) compareField(pair, name);
  const patterns = paired(old.patterns, now.patterns);
  const extras = [old.extras, now.extras] as const;
  for (const [was = extras[0], is = extras[1], pattern] of patterns)
    pair.inside(` (patternProperties ${pattern})`, was, is);
  const [had, has] = [reachOf(extras[0]), reachOf(extras[1])];
  if (had === "some" && has === "some") pair.inside(" (additionalProperties)", ...extras);
  else if (had !== has) {
    const [was, is] = extras.map((schema) => schema.isAnything || schema.shown);
    const how = has === "all" || had === "none" ? "allowed" : "refused";
    pair.add(`${mode.side}_extra_fields_${how}`, { old: was, new: is }, "additionalProperties");
  }
}

/** How many of all values a schema admits. */
const reachOf = (schema: Schema): "none" | "some" | "all" =>
  schema.isNothing ? "none" : schema.isAnything ? "all" : "some";

/** Compares a field by its schemas, where it is declared, and by whether it is needed. */
function compareField(pair: Pair, name: string): void {
  const { old, new: now, mode } = pair;
  const isRequest = mode.side === "request";
  const [was, is] = [old, now].map((schema) => schema.declaredField(name, mode.side));
  const [needed, needs] = [old, now].map(
    (schema, index) =>
      schema.needs(name, mode.side) ||
      [...(mode.around?.[index] ?? [])].some((outer) => outer.required(mode.side).has(name)),
  );
  const suffix = `.${name}`;
  const at = (outer: Schema, inner?: Schema): string =>
    inner?.pointer || `${outer.at("properties")}/${step(name)}`;
  const here = { suffix, old: was?.shown, new: is?.shown, oldPointer: at(old, was), newPointer: at(now, is) };
  const add = (kind: Kind, details?: Found): void => pair.add(kind, { ...here, ...details });
  const withdrawn = isRequest ? "request_field_refused" : "answer_optional_field_removed";
  const isFilled = isRequest && needs && (is?.all("default").length ?? 0) > 0;
  // Where it is not declared, it falls under the schema of undeclared fields.
  if (was !== undefined && is !== undefined)
    pair.inside(suffix, was, is, { ...mode, required: needed === true && needs === true });
  else if (isElsewhere(pair, name, was === undefined ? "old" : "new")) {
    // What it says there is compared there.
  } else if (was !== undefined) {
    const rest = now.field(name, mode.side);
    const announced = announcedRemoval(old.writtenField(name), pair.settings.today);
    if (was.open) add("open_changed");
    else if (reachOf(rest) === "some") pair.inside(suffix, was, rest);
    else if (announced !== undefined) add(announced);
    else if (needed && !isRequest) {
      if (!needs) add("answer_field_removed");
      else if (!was.isAnything) add("answer_type_widened", { new: "anything" });
    } else if (isRequest && !rest.isNothing) add("request_field_removed");
    else if (!was.isNothing) add(withdrawn);
    else if (!isRequest && !rest.isNothing) add("answer_field_added_to_closed");
  } else if (is !== undefined) {
    const rest = old.field(name, mode.side);
    if (isRequest && needs && !needed)
      return add(isFilled ? "request_required_field_with_default" : "request_required_field_added");
    if (reachOf(rest) === "some") pair.inside(suffix, rest, is);
    else if (is.isNothing && !rest.isNothing) add(withdrawn);
    else if (!isRequest && rest.isNothing && !is.isNothing) add("answer_field_added_to_closed");
    else add(`${mode.side}_field_added`);
  }
  // A promised field that is no longer declared, and an open one, are reported as such.
  if (needed === needs || (was && !is && needed && !isRequest) || was?.open || is?.open) return;
  const how = needs ? "required" : "optional";
  add(isFilled ? "request_required_field_with_default" : `${mode.side}_field_now_${how}`, {
    ...{ old: needed ? "required" : "optional", new: how },
    [needed ? "oldPointer" : "newPointer"]: (needed ? old : now).at("required"),
  });
}

/** Whether the side that does not declare a field does so around it, or in alternatives that make no difference. */
function isElsewhere(pair: Pair, name: string, where: "old" | "new"): boolean {
  const { side, around } = pair.mode;
  return (
    [...(around?.[where === "old" ? 0 : 1] ?? [])].some((outer) => outer.fields(side).has(name)) ||
    (pair[where].declared(side).has(name) && pair.isContained)
  );
}

function compareItems({ old, new: now, inside }: Pair): void {
  const max = Math.min(...[old, now].map((schema) => Number(schema.bound("maxItems")?.value ?? Infinity)));
  const named = Math.max(old.firstItems.length, now.firstItems.length);
  for (let index = 0; index < Math.min(named, max); index += 1)
    inside(`.${index}`, old.item(index), now.item(index));
  if (named < max) inside(".*", old.item(Infinity), now.item(Infinity));
}

/** The change of a demand when the new schema admits more, less, or something else. */
const changes = {
  bound: ["bound_widened", "bound_narrowed", "bound_narrowed"],
  form: ["form_lifted", "form_introduced", "form_changed"],
  constraint: ["constraint_removed", "constraint_added", "constraint_changed"],
} as const;

/** Compares what single keywords ask: bounds, forms, fields that are required together. */
function compareDemands({ old, new: now, mode, sets, add }: Pair): void {
  const [had, has] = [demandsOf(old), demandsOf(now)];
  for (const demand of demands) {
    const { kind, keywords, implies } = demand;
    const [before = [], after = []] = [had.get(demand), has.get(demand)];
    const [all, allNow] = [givenBy(old, demand), givenBy(now, demand)];
    const isWider = after.every((is) => all.some((was) => implies(was, is)));
    const isNarrower = before.every((was) => allNow.some((is) => implies(is, was)));
    // Another keyword may already exclude what this one does.
    if ((isWider && isNarrower) || sets.areAlike(old, now)) continue;
    const details = { old: shownOf(before, after), new: shownOf(after, before) };
    const how = changes[kind][isWider ? 0 : isNarrower ? 1 : 2];
    add(`${mode.side}_${how}`, details, ...keywords);
  }
}

/** The first demand that the other side lacks. */
function shownOf(demanded: readonly unknown[], others: readonly unknown[]): unknown {
  const found = demanded.find((value) => !others.some((other) => canonical(value) === canonical(other)));
  if (!isObject(found) || found["exclusive"] === undefined) return found;
  return found["exclusive"] ? `${canonical(found["value"])}, itself excluded` : found["value"];
}

/** Compares defaults: the meaning of an absent field in a request. */
function compareDefaults({ old, new: now, mode, add }: Pair): void {
  const [before, after] = [old, now].map((schema) => schema.all("default")[0]);
  if ((mode.side === "request" && mode.required === true) || canonical(before) === canonical(after)) return;
  const how = before === undefined ? "set" : after === undefined ? "unset" : "changed";
  add(mode.side === "answer" ? "answer_default_changed" : `request_default_${how}`, {}, "default");
}

/** Keywords that say something of values of a type only. */
const typesOf: Record<string, readonly string[]> = {
  contains: ["array"],
  dependentSchemas: ["object"],
  propertyNames: ["object"],
  contentSchema: ["string"],
};

/** Compares the keywords that apply other schemas to a value, apart from its fields and items. */
function compareConditions(pair: Pair): void {
  const { old, new: now, sets, mode } = pair;
  const isAbout = (name: string): boolean =>
    (typesOf[name] ?? []).every((type) => mayBe(old, type) && mayBe(now, type));
  const inside = (name: string, was = old.child(name), is = now.child(name)): void =>
    pair.inside(` (${name})`, was, is);
  for (const name of ["not", "if", "contains"].filter(isAbout)) {
    const [had, has] = [old, now].map((schema) => schema.all(name).length > 0);
    const add = (how: "added" | "removed" | "changed"): void =>
      pair.add(`${mode.side}_constraint_${how}`, {}, name);
    if (had !== has) add(has === true ? "added" : "removed");
    if (had !== true || has !== true) continue;
    const [was, is] = [old.child(name), now.child(name)];
    const isCounted = [old, now].some((schema) => schema.bound("maxContains") !== undefined);
    if (name === "contains" && !isCounted) inside(name);
    else if (!sets.areAlike(was, is)) {
      const isLess = name === "not" && sets.includes(is, was);
      add(isLess ? "added" : name === "not" && sets.includes(was, is) ? "removed" : "changed");
    } else if (name === "if" && !sets.areAlike(old, now))
      for (const branch of ["then", "else"]) inside(branch);
  }
  const [free, freeNow] = [old.child(), now.child()];
  if (isAbout("dependentSchemas"))
    for (const [was = free, is = freeNow, name] of paired(old.dependents, now.dependents))
      inside(`dependentSchemas ${name}`, was, is);
  for (const name of ["propertyNames", "contentSchema"].filter(isAbout))
    if (!old.child(name).isAnything || !now.child(name).isAnything) inside(name);
}

/** Reports differences without a rule: a person must decide whether they matter. */
function compareRest({ old, new: now, add }: Pair): void {
  const haveChoices = old.choices.length > 0 && now.choices.length > 0;
  for (const name of new Set([...old.keywords, ...now.keywords])) {
    const isTag = name === "discriminator" && !haveChoices;
    const [before, after] = [old, now].map((schema) => canonical(schema.all(name), 5000));
    if ((compared.has(name) && !isTag) || before === after) continue;
    add(isTag ? "discriminator_changed" : "unclassified_changed", {}, name);
  }
}

/** Formats that no number matches. */
const textFormats = new Set("date date-time time uuid email uri ipv4 ipv6 hostname".split(" "));

/** @returns false when the types are disjoint, so that nothing inside can be compared */
function compareTypes({ old, new: now, mode, add }: Pair): boolean {
  const { text, side } = mode;
  /** As text, null cannot be written. */
  const onWire = ({ types }: Schema): Types =>
    text && types.size > 1 && !isAnyType(types) ? without(types, "null") : types;
  /** As text, a string may be any scalar. */
  const taken = (schema: Schema): Types => {
    const types = onWire(schema);
    const isText =
      text && types.has("string") && !schema.all("format").some((format) => textFormats.has(String(format)));
    return isText ? typesNamed([...types, "number", "boolean"]) : types;
  };
  const [before, after] = [onWire(old), onWire(now)];
  if (isWithin(before, after) && isWithin(after, before)) return true;
  const [lost, gained] = [!isWithin(before, taken(now)), !isWithin(after, taken(old))];
  const shown = (types: Types): string =>
    isAnyType(types) ? "any" : namesOf(types).join(" or ") || "nothing";
  const less = isImplied(old, after) ? "stated" : "narrowed";
  const more = isImplied(now, before) ? "unstated" : "widened";
  const how = lost && gained ? "changed" : lost ? less : more;
  if (lost || gained) add(`${side}_type_${how}`, { old: shown(before), new: shown(after) }, "type");
  const overlap = (types: Types, others: Types): boolean =>
    isAnyType(types) || [...types].some((type) => others.has(type));
  return overlap(before, taken(now)) || overlap(after, taken(old));
}

/** A schema without a type but with fields or items is treated as an object or list, whatever else it admits. */
function isImplied(untyped: Schema, types: Types): boolean {
  if (!isAnyType(untyped.types) || isAnyType(types)) return false;
  const isOf = (...keywords: string[]): boolean => untyped.all(...keywords).length > 0;
  const isObjects = isOf("properties", "additionalProperties", "patternProperties");
  const meant = isObjects ? "object" : isOf("items", "prefixItems") ? "array" : undefined;
  return meant !== undefined && [...types].every((type) => type === meant || type === "null");
}

/** Compares `enum` and `const`, which both list values, and the documented values of `x-values`. */
function compareValues({ old, new: now, mode, settings, add }: Pair): void {
  const [was, is] = [old, now].map(
    (schema) => /^\/components\/schemas\/([^/]+)\/enum$/.exec(schema.at("enum"))?.[1],
  );
  /** The kinds of change for a component that has its own, of each value by itself. */
  const vocabulary = was === is ? settings.vocabularies?.[was ?? ""] : undefined;
  const [removed, added] = [`${mode.side}_enum_value_removed`, `${mode.side}_enum_value_added`] as const;
  const kinds = vocabulary ?? { removed, added };
  const place = vocabulary && ({ side: "contract", where: `values of ${now.name ?? old.name}` } as const);
  // Null is compared with the types.
  const named = (values: Json[]): Map<string, Json> => byText(values.filter((value) => value !== null));
  const compare = (before: Json[], after: Json[], ...keywords: string[]): void => {
    const [had, has] = [named(before), named(after)];
    const without = (values: Map<string, Json>, others: Map<string, Json>): Json[] => {
      const left = [...values].flatMap(([text, value]) => (others.has(text) ? [] : [value]));
      return vocabulary || left.length === 0 ? left : [asOne(left)];
    };
    for (const value of without(had, has))
      add(kinds.removed, { ...place, old: value, new: undefined }, ...keywords);
    for (const value of without(has, had))
      add(kinds.added, { ...place, old: undefined, new: value }, ...keywords);
  };
  const [before, after] = [old.values ?? undefined, now.values ?? undefined];
  const how = before === undefined ? "introduced" : "lifted";
  if ((before === undefined) === (after === undefined)) compare(before ?? [], after ?? [], "enum", "const");
  else add(`${mode.side}_enum_${how}`, { old: before, new: after }, "enum", "const");
  // The author of x-extensible-enum says that answers may have values that it does not list.
  const lists = mode.side === "request" ? ["x-values", "x-extensible-enum"] : ["x-values"];
  const documented = (schema: Schema): Json[] => lists.flatMap((name) => schema.all(name)).flatMap(itemsOf);
  compare(documented(old), documented(now), "x-values");
}
