import { demands, type Known } from "./demands.ts";
import { canonical, isObject, type Json } from "./json.ts";
import { typeOf } from "./types.ts";
import { type Choice, type Schema, type Side } from "./schema.ts";

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
  const fits = (one: Schema, inner = value): Known => holds(one, inner, side, depth + 1);
  if (depth > maxDepth) return yield undefined;
  if (value === null && schema.excludesNull) return yield false;
  if (schema.isAnything || (value === null && schema.nullable)) return;
  const type = typeOf(value);
  const { values, keywords } = schema;
  yield schema.types.has(type);
  yield values === null || values.some((one) => canonical(one) === canonical(value));
  for (const { types, of, isMet } of demands) {
    if (!types.includes(type === "integer" ? "number" : type)) continue;
    for (const asked of of(schema)) yield isMet(asked, value);
  }
  for (const choice of schema.choices) yield isChosen(choice, value, fits);
  for (const raw of schema.all("not")) yield opposite(fits(schema.schemaOf(raw)));
  for (const { test, then, otherwise } of schema.conditions) {
    const [isTested, met, unmet] = [fits(test), fits(then), fits(otherwise)];
    yield isTested === undefined ? (met === unmet ? met : undefined) : isTested ? met : unmet;
  }
  if (keywords.has(undecided[type] ?? "")) yield undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield fits(schema.item(index), item);
    for (const raw of schema.all("contains")) {
      const matching = value.map((item) => fits(schema.schemaOf(raw), item));
      yield isCounted(matching, schema);
    }
  } else if (isObject(value)) {
    for (const name of schema.required(side)) yield Object.hasOwn(value, name);
    const isUnclear = keywords.has("unevaluatedProperties") && evaluating.some((name) => keywords.has(name));
    for (const [name, inner] of Object.entries(value)) {
      yield fits(schema.child("propertyNames"), name);
      yield fits(schema.dependents.get(name) ?? schema.schemaOf(undefined));
      if (schema.isHidden(name, side)) continue;
      const isField = fits(schema.field(name, side), inner);
      yield isUnclear && !schema.fields(side).has(name) ? isField || undefined : isField;
    }
  }
}

const opposite = (answer: Known): Known => (answer === undefined ? undefined : !answer);

/** Whether the alternatives admit a value: one of them, or exactly one. */
function isChosen({ keyword, members, hasNull }: Choice, value: Json, fits: (one: Schema) => Known): Known {
  const answers = [...members.map((one) => fits(one)), ...(hasNull ? [value === null] : [])];
  const fitting = answers.filter((one) => one === true).length;
  if (keyword === "oneOf" && fitting > 1) return false;
  if (keyword === "anyOf" && fitting > 0) return true;
  return answers.includes(undefined) ? undefined : fitting === 1;
}

/** Whether enough items of a list match, and not too many. */
function isCounted(answers: readonly Known[], schema: Schema): Known {
  const surely = answers.filter((one) => one === true).length;
  const possibly = answers.filter((one) => one !== false).length;
  const [min, max] = [schema.bound("minContains"), schema.bound("maxContains")];
  const [least, most] = [min?.value ?? 1, max?.value ?? Infinity];
  return possibly < least || surely > most ? false : (surely >= least && possibly <= most) || undefined;
}
