import { compareChoices } from "./compare-choices.ts";
import type { Pair } from "./pair.ts";
import type { Found, Vocabularies, Kind } from "./change.ts";
import { step, paired, canonical, isObject, itemsOf, type Json } from "./json.ts";
import { mayBe, type Schema } from "./schema.ts";
import { announcedRemoval } from "./api.ts";
import { compared, demands } from "./demands.ts";
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
  const found = {
    old: old.open && !now.open ? "open" : old.shown,
    new: now.open && !old.open ? "open" : now.shown,
  };
  const added = mode.side === "request" ? "request_obligation_added" : "obligation_added";
  if (old.open && now.open) {
    if (old.said !== now.said) add("open_changed", found);
  } else if (!(now.open ? old : now).isAnything) add(now.open ? "obligation_dropped" : added, found);
}

/** Reports a difference of one field. */
type Add = (kind: Kind, found?: Found) => void;

function compareFields(pair: Pair): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const [before, after] = [old.fields(side), now.fields(side)];
  const [promised, promises] = [old.required(side), now.required(side)];
  for (const name of new Set([...before.keys(), ...after.keys(), ...promised, ...promises])) {
    const [was, is] = [before.get(name), after.get(name)];
    const required = promised.has(name) && promises.has(name);
    const at = {
      oldPointer: was?.pointer || `${old.at("properties")}/${step(name)}`,
      newPointer: is?.pointer || `${now.at("properties")}/${step(name)}`,
    };
    const add: Add = (kind, found = { old: was?.shown, new: is?.shown }) =>
      pair.add(kind, { ...at, ...found }, `.${name}`);
    if (was !== undefined && is !== undefined) pair.inside(`.${name}`, was, is, { ...mode, required });
    else if (was !== undefined) compareRemoved(pair, name, was, add);
    else if (is !== undefined) compareAdded(pair, name, is, add);
    compareNeeded(pair, name, add);
  }
  for (const [was = old.extras, is = now.extras, pattern] of paired(old.patterns, now.patterns))
    pair.inside(` (patternProperties ${pattern})`, was, is);
  compareExtras(pair);
}

/** A field is no longer declared: it was removed, or falls under the schema of undeclared fields. */
function compareRemoved(pair: Pair, name: string, was: Schema, add: Add): void {
  const { new: now, mode } = pair;
  const other = now.field(name, mode.side);
  const announced = announcedRemoval(pair.old.writtenField(name), pair.settings.today);
  if (was.open) add("open_changed");
  else if (!other.isAnything && !other.isNothing) pair.inside(`.${name}`, was, other);
  else if (announced !== undefined) add(announced);
  else if (mode.side === "request") {
    if (!other.isNothing) add("request_field_removed");
    else if (!was.isNothing) add("request_field_refused");
  } else if (!pair.old.required("answer").has(name)) {
    if (!was.isNothing) add("answer_optional_field_removed");
  } else if (!now.required("answer").has(name)) add("answer_field_removed");
  else if (!was.isAnything) add("answer_type_widened", { old: was.shown, new: "anything" });
}

function compareAdded(pair: Pair, name: string, is: Schema, add: Add): void {
  const { old, new: now, mode } = pair;
  const isRequest = mode.side === "request";
  const other = old.field(name, mode.side);
  if (isRequest && now.required("request").has(name) && !old.required("request").has(name)) {
    const hasDefault = is.all("default").length > 0;
    add(hasDefault ? "request_required_field_with_default" : "request_required_field_added");
  } else if (!other.isAnything && !other.isNothing) pair.inside(`.${name}`, other, is);
  else if (is.isNothing && !other.isNothing)
    add(isRequest ? "request_field_refused" : "answer_optional_field_removed");
  else if (!isRequest && other.isNothing && !is.isNothing) add("answer_field_added_to_closed");
  else add(`${mode.side}_field_added`);
}

function compareNeeded(pair: Pair, name: string, add: Add): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const [was, is] = [old.fields(side).get(name), now.fields(side).get(name)];
  const [promised, promises] = [old.required(side).has(name), now.required(side).has(name)];
  // A new field that is needed, a removed one that was promised, and one that is now open are reported as such.
  const isReported =
    side === "request" ? promises && was === undefined && is : promised && was && is === undefined;
  if (promised === promises || isReported || was?.open || is?.open) return;
  const how = promises ? "required" : "optional";
  const found = {
    ...{ old: promised ? "required" : "optional", new: how },
    ...(promised && { oldPointer: old.at("required") }),
    ...(promises && { newPointer: now.at("required") }),
  };
  const isFilled = side === "request" && promises && (is?.all("default").length ?? 0) > 0;
  add(isFilled ? "request_required_field_with_default" : `${side}_field_now_${how}`, found);
}

function compareExtras(pair: Pair): void {
  const [was, is] = [pair.old.extras, pair.new.extras];
  const keyword = "additionalProperties";
  /** Fields of any type admit more than fields of one type, and these more than none. */
  const reach = (schema: Schema): number => (schema.isNothing ? 0 : schema.isAnything ? 2 : 1);
  if (reach(was) === 1 && reach(is) === 1) pair.inside(` (${keyword})`, was, is);
  else if (reach(was) !== reach(is)) {
    const found = { old: was.isAnything || was.shown, new: is.isAnything || is.shown };
    const how = reach(is) > reach(was) ? "allowed" : "refused";
    pair.addKeyword(`${pair.mode.side}_extra_fields_${how}`, keyword, found);
  }
}

function compareItems(pair: Pair): void {
  const { old, new: now } = pair;
  const max = Math.min(...[old, now].map((schema) => schema.bound("maxItems")?.value ?? Infinity));
  const named = Math.max(old.firstItems.length, now.firstItems.length);
  for (let index = 0; index < Math.min(named, max); index += 1)
    pair.inside(`.${index}`, old.item(index), now.item(index));
  if (named < max) pair.inside(".*", old.item(Infinity), now.item(Infinity));
}

/** The change of a demand when the new schema admits more, less, or something else. */
const changes = {
  bound: ["bound_widened", "bound_narrowed", "bound_narrowed"],
  form: ["form_lifted", "form_introduced", "form_changed"],
  constraint: ["constraint_removed", "constraint_added", "constraint_changed"],
} as const;

/** Compares what single keywords ask: bounds, forms, fields that are required together. */
function compareDemands({ old, new: now, mode, add }: Pair): void {
  for (const { kind, keywords, of, implies } of demands) {
    const [before, after] = [of(old), of(now)];
    const isWider = after.every((is) => before.some((was) => implies(was, is)));
    const isNarrower = before.every((was) => after.some((is) => implies(is, was)));
    if (isWider && isNarrower) continue;
    const found = { old: shownOf(before, after), new: shownOf(after, before) };
    const how = changes[kind][isWider ? 0 : isNarrower ? 1 : 2];
    add(`${mode.side}_${how}`, found, ` (${keywords[0]})`, ...keywords);
  }
}

/** The first demand that the other side lacks. */
function shownOf(demanded: readonly unknown[], others: readonly unknown[]): unknown {
  const found = demanded.find((one) => !others.some((other) => canonical(one) === canonical(other)));
  if (!isObject(found) || found["exclusive"] === undefined) return found;
  return found["exclusive"] ? `${Number(found["value"])}, itself excluded` : found["value"];
}

/** Compares defaults: the meaning of an absent field in a request. */
function compareDefaults(pair: Pair): void {
  const { side, required } = pair.mode;
  const [before, after] = [pair.old, pair.new].map((schema) => schema.all("default")[0]);
  if ((side === "request" && required === true) || canonical(before) === canonical(after)) return;
  const how = before === undefined ? "set" : after === undefined ? "unset" : "changed";
  const kind = side === "answer" ? "answer_default_changed" : (`request_default_${how}` as const);
  pair.addKeyword(kind, "default", {}, "");
}

/** Compares the keywords that apply other schemas to a value, apart from its fields and items. */
function compareConditions(pair: Pair): void {
  const { old, new: now, sets, mode } = pair;
  const inside = (name: string, was = old.child(name), is = now.child(name)): void =>
    pair.inside(` (${name})`, was, is);
  const add = (name: string, how: "added" | "removed" | "changed"): void =>
    pair.addKeyword(`${mode.side}_constraint_${how}`, name);
  const areAlike = (name: string): boolean => sets.areAlike(old.child(name), now.child(name));
  /** Whether both sides have a keyword; an added or removed one is reported. */
  const haveBoth = (name: string): boolean => {
    const [had, has] = [old, now].map((schema) => schema.all(name).length > 0);
    if (had !== has) add(name, has === true ? "added" : "removed");
    return had === true && has === true;
  };
  if (haveBoth("not") && !areAlike("not")) {
    const [before, after] = [old.child("not"), now.child("not")];
    add("not", sets.includes(after, before) ? "added" : sets.includes(before, after) ? "removed" : "changed");
  }
  if (haveBoth("if")) {
    if (!areAlike("if")) add("if", "changed");
    else for (const name of ["then", "else"]) inside(name);
  }
  if (haveBoth("contains")) {
    if ([old, now].every((schema) => schema.bound("maxContains") === undefined)) inside("contains");
    else if (!areAlike("contains")) add("contains", "changed");
  }
  const [free, freeNow] = [old, now].map((schema) => schema.schemaOf(undefined)) as [Schema, Schema];
  for (const [was = free, is = freeNow, name] of paired(old.dependents, now.dependents))
    inside(`dependentSchemas ${name}`, was, is);
  for (const name of ["propertyNames", "contentSchema"])
    if (!old.child(name).isAnything || !now.child(name).isAnything) inside(name);
}

/** Reports differences without a rule: a person must decide whether they matter. */
function compareRest(pair: Pair): void {
  const { old, new: now } = pair;
  const haveChoices = old.choices.length > 0 && now.choices.length > 0;
  for (const name of new Set([...old.keywords, ...now.keywords])) {
    const isTag = name === "discriminator" && !haveChoices;
    const [before, after] = [old, now].map((schema) => canonical(schema.all(name), 5000));
    if ((compared.has(name) && !isTag) || before === after) continue;
    if (isTag) pair.addKeyword("discriminator_changed", name, {}, "");
    else pair.addKeyword("unclassified_changed", name);
  }
}

/** Formats that no number matches. */
const textFormats = new Set("date date-time time uuid email uri ipv4 ipv6 hostname".split(" "));

/** @returns false when the types are disjoint, so that nothing inside can be compared */
function compareTypes(pair: Pair): boolean {
  const { old, new: now, mode } = pair;
  const { text, side } = mode;
  /** As text, null cannot be written. */
  const onWire = ({ types }: Schema): Types =>
    text && types.size > 1 && !isAnyType(types) ? without(types, "null") : types;
  /** As text, a string may be any scalar. */
  const taken = (schema: Schema): Types => {
    const types = onWire(schema);
    const isText =
      text && types.has("string") && !schema.all("format").some((one) => textFormats.has(String(one)));
    return isText ? typesNamed([...types, "number", "boolean"]) : types;
  };
  const [before, after] = [onWire(old), onWire(now)];
  if (isWithin(before, after) && isWithin(after, before)) return true;
  const [lost, gained] = [!isWithin(before, taken(now)), !isWithin(after, taken(old))];
  const shown = (types: Types): string =>
    isAnyType(types) ? "any" : namesOf(types).join(" or ") || "nothing";
  const found = { old: shown(before), new: shown(after) };
  const less = isImplied(old, after) ? "stated" : "narrowed";
  const more = isImplied(now, before) ? "unstated" : "widened";
  if (lost || gained)
    pair.addKeyword(`${side}_type_${lost && gained ? "changed" : lost ? less : more}`, "type", found, "");
  const overlap = (types: Types, others: Types): boolean =>
    isAnyType(types) || [...types].some((type) => others.has(type));
  return overlap(before, taken(now)) || overlap(after, taken(old));
}

/** A schema without a type but with fields or items is treated as an object or list, whatever else it admits. */
function isImplied(untyped: Schema, types: Types): boolean {
  if (!isAnyType(untyped.types) || isAnyType(types)) return false;
  const isOf = (keyword: string): boolean => untyped.all(keyword).length > 0;
  const meant = isOf("properties") ? "object" : isOf("items") ? "array" : undefined;
  return meant !== undefined && [...types].every((type) => type === meant || type === "null");
}

/** Compares `enum` and `const`, which both list values, and the documented values of `x-values`. */
function compareValues(pair: Pair): void {
  const { old, new: now, mode } = pair;
  const { side } = mode;
  const kind = vocabularyOf(pair) ?? {
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
      if (was !== undefined && is !== undefined) continue;
      const how = was === undefined ? "added" : "removed";
      pair.add(kind[how], { old: was, new: is, ...pointers }, "", "x-values");
    }
  };
  if (before === null && after !== null) pair.add(`${side}_enum_introduced`, { new: after, ...at });
  else if (before !== null && after === null) pair.add(`${side}_enum_lifted`, { old: before, ...at });
  else compare(before ?? [], after ?? [], at);
  // The author of x-extensible-enum says that answers may bring values that it does not list.
  const lists = side === "request" ? ["x-values", "x-extensible-enum"] : ["x-values"];
  const documented = (schema: Schema): Json[] => lists.flatMap((name) => schema.all(name)).flatMap(itemsOf);
  compare(documented(old), documented(now));
}

/** The kinds of change for a list that has its own, when both schemas are the same component. */
function vocabularyOf({ settings, old, new: now }: Pair): Vocabularies[string] | undefined {
  const [was, is] = [old, now].map(
    (one) => /^\/components\/schemas\/([^/]+)\/enum$/.exec(one.at("enum"))?.[1],
  );
  return was === is ? settings.vocabularies?.[was ?? ""] : undefined;
}
