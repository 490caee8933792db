import { demandsOf, type Known } from "./demands.ts";
import { canonical, isObject, type Json } from "../../base/data.ts";
import type { Schema, Side } from "./schema.ts";
import { typeOf } from "./types.ts";

/** Maximum number of schemas that lead to each other for one value. */
const maxDepth = 100;

/** Whether a schema admits a value in a direction; undefined where a keyword cannot be decided. */
export function holds(schema: Schema, value: unknown, side: Side, depth = 0): Known {
  let isKnown = true;
  for (const answer of answersOf(schema, value as Json, side, depth)) {
    if (answer === false) return false;
    isKnown &&= answer === true;
  }
  return isKnown || undefined;
}

/** Keywords for which it is unknown whether a value meets them, by its type. */
const undecided: Record<string, string> = { string: "contentSchema", array: "unevaluatedItems" };
/** Keywords that evaluate fields, so that the fields left over are unknown. */
const evaluating = ["anyOf", "oneOf", "if", "dependentSchemas"];

/** Whether a value meets each of the keywords. */
function* answersOf(schema: Schema, value: Json, side: Side, depth: number): Generator<Known> {
  const fits = (part: Schema, inner = value): Known => holds(part, inner, side, depth + 1);
  if (depth > maxDepth) return yield undefined;
  if (value === null && schema.excludesNull) return yield false;
  if (schema.isAnything || (value === null && schema.nullable)) return;
  const type = typeOf(value);
  const { values, keywords } = schema;
  yield schema.types.has(type);
  yield values === null || values.some((allowed) => canonical(allowed) === canonical(value));
  for (const [{ types, isMet }, demanded] of demandsOf(schema)) {
    if (!types.includes(type === "integer" ? "number" : type)) continue;
    for (const asked of demanded) yield isMet(asked, value);
  }
  for (const { keyword, ways } of schema.choices) {
    const answers = ways.map((way) => fits(schema.schemaOf(way)));
    yield isCounted(answers, 1, keyword === "oneOf" ? 1 : Infinity);
  }
  for (const raw of schema.all("not")) yield either(fits(schema.schemaOf(raw)), false, true);
  for (const [test, then, otherwise] of schema.conditions)
    yield either(fits(test), fits(then), fits(otherwise));
  if (keywords.has(undecided[type] ?? "")) yield undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield fits(schema.item(index), item);
    const [least, most] = [schema.bound("minContains"), schema.bound("maxContains")];
    for (const raw of schema.all("contains")) {
      const answers = value.map((item) => fits(schema.schemaOf(raw), item));
      yield isCounted(answers, Number(least?.value ?? 1), Number(most?.value ?? Infinity));
    }
  } else if (isObject(value)) {
    for (const name of schema.required(side)) yield Object.hasOwn(value, name);
    const isUnclear = keywords.has("unevaluatedProperties") && evaluating.some((name) => keywords.has(name));
    for (const [name, inner] of Object.entries(value)) {
      yield fits(schema.child("propertyNames"), name);
      yield fits(schema.dependents.get(name) ?? schema.child());
      if (schema.isHidden(name, side)) continue;
      const isField = fits(schema.field(name, side), inner);
      yield isUnclear && !schema.fields(side).has(name) ? isField || undefined : isField;
    }
  }
}

/** One answer if a test is met, and another if not; where that is unknown, the one that they agree on. */
const either = (test: Known, met: Known, unmet: Known): Known =>
  test === undefined && met !== unmet ? undefined : test !== false ? met : unmet;

/** Whether enough answers are yes, and not too many. */
function isCounted(answers: readonly Known[], least: number, most: number): Known {
  const surely = answers.filter((answer) => answer === true).length;
  const possibly = answers.filter((answer) => answer !== false).length;
  if (possibly < least || surely > most) return false;
  return (surely >= least && possibly <= most) || undefined;
}
