import type { Comparison, Pair } from "./comparison.ts";
import { canonical, entriesOf, itemsOf, type Json } from "./json.ts";
import { paired } from "./paired.ts";
import { lowerBounds, upperBounds, type Bound, type Schema } from "./schema.ts";
import { forms, isFormWithin } from "./sets.ts";

/** Compares minimum and maximum numbers, lengths and counts. */
export function compareBounds(pair: Pair): void {
  for (const name of [...lowerBounds, ...upperBounds]) {
    const [before, after] = [pair.old.bound(name), pair.new.bound(name)];
    if (before?.value === after?.value && before?.exclusive === after?.exclusive) continue;
    const sign = name.startsWith("min") ? 1 : -1;
    const [was, is] = [before, after].map((bound) => (bound === undefined ? -Infinity : sign * bound.value));
    const isTighter = is === was ? after?.exclusive === true : is! > was!;
    const shown = (bound: Bound | undefined): unknown =>
      bound && (bound.exclusive ? `${bound.value}, itself excluded` : bound.value);
    const isPlain = [pair.old, pair.new].some((schema) => schema.all(name).length > 0);
    const keyword = isPlain ? name : `exclusive${name[0]!.toUpperCase()}${name.slice(1)}`;
    const found = { old: shown(before), new: shown(after) };
    pair.tell(`${pair.mode.side}_bound_${isTighter ? "narrowed" : "widened"}`, found, ` (${name})`, keyword);
  }
}

const formNames = [...new Set(forms.map(([name]) => name))];

/** Compares format keywords, for which it is rarely known whether one includes another. */
export function compareForms(pair: Pair): void {
  for (const name of formNames) {
    const [before, after] = [pair.old.asked(name), pair.new.asked(name)];
    const [left, right] = [without(before, after), without(after, before)];
    if (left.length === 0 && right.length === 0) continue;
    const isNarrower = left.every((was) => right.some((is) => isFormWithin(name, is, was)));
    const isWider = right.every((is) => left.some((was) => isFormWithin(name, was, is)));
    const how = isWider ? "lifted" : isNarrower ? "introduced" : "changed";
    pair.tell(`${pair.mode.side}_form_${how}`, { old: left[0], new: right[0] }, ` (${name})`, name);
  }
}

const without = (values: Json[], others: Json[]): Json[] => {
  const known = new Set(others.map((value) => canonical(value)));
  return values.filter((value) => !known.has(canonical(value)));
};

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
  if (haveBoth("not")) {
    const [isWider, isNarrower] = [
      sets.includes(now.child("not"), old.child("not")),
      sets.includes(old.child("not"), now.child("not")),
    ];
    if (!isWider || !isNarrower)
      tellConstraint(pair, "not", isWider ? "added" : isNarrower ? "removed" : "changed");
  }
  if (haveBoth("if")) {
    if (!areAlike("if")) tellConstraint(pair, "if", "changed");
    else for (const name of ["then", "else"]) inside(name);
  }
  if (haveBoth("contains")) {
    if ([old, now].every((schema) => schema.bound("maxContains") === undefined)) inside("contains");
    else if (!areAlike("contains")) tellConstraint(pair, "contains", "changed");
  }
  for (const [was = old.anything, is = now.anything, name] of paired(old.dependents, now.dependents))
    inside(`dependentSchemas ${name}`, was, is);
  const [before, after] = [neededTogether(old), neededTogether(now)];
  if (without(after, before).length > 0) tellConstraint(pair, "dependentRequired", "added");
  if (without(before, after).length > 0) tellConstraint(pair, "dependentRequired", "removed");
  for (const name of ["propertyNames", "contentSchema"])
    if (!old.child(name).isAnything || !now.child(name).isAnything) inside(name);
}

/** Reports that a keyword admits less, more or something else. */
function tellConstraint(pair: Pair, keyword: string, how: "added" | "removed" | "changed"): void {
  const found = { old: pair.old.all(keyword)[0], new: pair.new.all(keyword)[0] };
  pair.tell(`${pair.mode.side}_constraint_${how}`, found, ` (${keyword})`, keyword);
}

/** `dependentRequired`: each field with one that is required when it is present. */
const neededTogether = (schema: Schema): Json[] =>
  [...schema.all("dependentRequired"), ...schema.all("dependencies")].flatMap((value) =>
    entriesOf(value).flatMap(([name, others]) => itemsOf(others).map((other) => [name, other])),
  );

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
