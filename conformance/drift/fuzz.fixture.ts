import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../base/data.ts";

/** Random numbers with a seed, so that a failure can be repeated. */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const of = <T>(list: readonly T[]): T => list[below(list.length)]!;
  return { below, of, chance: (share: number): boolean => next() < share };
}
export type Random = ReturnType<typeof randomOf>;

const names = ["a", "b", "c"];
const words = ["a", "b", "ab", "ba", "aaa", ""];
const patterns = ["^a", "b$", "^[ab]+$", ".+"];
const types = ["string", "integer", "number", "boolean", "array", "object", "null"];

/** A random schema of the keywords whose sets can be decided. */
export function schemaOf(random: Random, depth = 0): JsonObject {
  const { below, of, chance } = random;
  if (depth < 3 && chance(0.22)) {
    const members = Array.from({ length: 1 + below(3) }, () => schemaOf(random, depth + 1));
    const keyword = of(["anyOf", "oneOf", "oneOf", "allOf"]);
    return chance(0.3) ? { ...plainOf(random, depth), [keyword]: members } : { [keyword]: members };
  }
  if (depth < 2 && chance(0.05)) return { ...plainOf(random, depth), not: plainOf(random, depth + 1) };
  if (depth < 2 && chance(0.05)) {
    const [test, then] = [plainOf(random, depth + 1), schemaOf(random, depth + 1)];
    const otherwise = chance(0.5) && { else: schemaOf(random, depth + 1) };
    return { ...plainOf(random, depth), if: test, then, ...otherwise };
  }
  if (chance(0.08))
    return chance(0.5) ? { const: valueOf(random, 2) } : { enum: [valueOf(random, 2), valueOf(random, 2)] };
  return plainOf(random, depth);
}

function plainOf(random: Random, depth: number): JsonObject {
  const { below, of, chance } = random;
  const type = depth > 2 ? of(["string", "integer", "boolean"]) : of(types);
  const schema: JsonObject = chance(0.1)
    ? {}
    : chance(0.12)
      ? { type: [type, of(types.filter((one) => one !== type))] }
      : { type };
  const maybe = (keyword: string, value: () => Json, share = 0.3): void => {
    if (chance(share)) schema[keyword] = value();
  };
  if (type === "string") {
    maybe("minLength", () => below(3));
    maybe("maxLength", () => below(4));
    maybe("pattern", () => of(patterns), 0.2);
    maybe("enum", () => [of(words), of(words)], 0.2);
  } else if (type === "integer" || type === "number") {
    maybe("minimum", () => below(5) - 1);
    maybe("maximum", () => below(6) + 1);
    maybe("exclusiveMinimum", () => below(4) - 1, 0.15);
    maybe("multipleOf", () => of([1, 2, 0.5]), 0.15);
    maybe("enum", () => [below(4), below(4)], 0.15);
  } else if (type === "array") {
    maybe("items", () => schemaOf(random, depth + 1), 0.6);
    maybe("prefixItems", () => [schemaOf(random, depth + 1)], 0.15);
    maybe("minItems", () => below(3));
    maybe("maxItems", () => below(3));
    maybe("uniqueItems", () => true, 0.1);
    // Next to prefixItems, Ajv lets an empty array pass `contains`.
    if (schema["prefixItems"] === undefined) maybe("contains", () => schemaOf(random, depth + 1), 0.08);
  } else if (type === "object") {
    const fields = names.filter(() => chance(0.6));
    if (fields.length > 0)
      schema["properties"] = Object.fromEntries(fields.map((name) => [name, schemaOf(random, depth + 1)]));
    maybe("required", () => names.filter(() => chance(0.4)), 0.6);
    maybe("additionalProperties", () => (chance(0.7) ? false : schemaOf(random, depth + 1)), 0.25);
    maybe("patternProperties", () => ({ "^[ab]$": schemaOf(random, depth + 1) }), 0.08);
    maybe("maxProperties", () => below(3), 0.1);
    maybe("dependentRequired", () => ({ a: ["b"] }), 0.08);
    maybe("dependentSchemas", () => ({ a: schemaOf(random, depth + 1) }), 0.06);
    maybe("propertyNames", () => ({ pattern: random.of(patterns) }), 0.06);
  }
  return schema;
}

/** A random JSON value of the same small world. */
export function valueOf(random: Random, depth = 0): Json {
  const { below, of, chance } = random;
  const kind = below(depth > 2 ? 5 : 8);
  if (kind === 0) return of(words);
  if (kind === 1) return below(8) - 1;
  if (kind === 2) return below(12) / 2;
  if (kind === 3) return chance(0.5);
  if (kind === 4) return chance(0.4) ? null : of(words);
  if (kind === 5) return Array.from({ length: below(4) }, () => valueOf(random, depth + 1));
  return Object.fromEntries(
    [...names, "d"].filter(() => chance(0.5)).map((name) => [name, valueOf(random, depth + 1)]),
  );
}

/** A copy of a schema with one change somewhere. */
export function mutated(random: Random, schema: JsonObject): JsonObject {
  const copy = structuredClone(schema);
  const places: JsonObject[] = [];
  const collect = (value: Json, isSchema: boolean): void => {
    if (typeof value !== "object" || value === null) return;
    if (isSchema && !Array.isArray(value)) places.push(value);
    for (const [name, inner] of Object.entries(value)) {
      if (["enum", "const", "required", "type", "dependentRequired"].includes(name)) continue;
      collect(
        inner as Json,
        !["properties", "patternProperties", "dependentSchemas"].includes(name) ||
          !isSchema ||
          Array.isArray(value),
      );
    }
  };
  collect(copy, true);
  const place = random.of(places);
  const keywords = Object.keys(place);
  const [one, others] = [schemaOf(random, 2), random.below(6)];
  if (others === 0 && keywords.length > 0) Reflect.deleteProperty(place, random.of(keywords));
  else if (others === 1) Object.assign(place, plainOf(random, 2));
  else if (others === 2) replace(place, one);
  else if (others === 3) replace(place, { [random.of(["anyOf", "oneOf"])]: [{ ...place }, one] });
  else {
    const list = ["anyOf", "oneOf", "allOf", "enum", "required"]
      .map((name) => place[name])
      .find(Array.isArray);
    if (list === undefined) {
      const number = keywords.find((name) => typeof place[name] === "number");
      if (number !== undefined && number !== "const")
        place[number] = Math.max(
          number === "multipleOf" ? 1 : 0,
          Number(place[number]) + random.below(3) - 1,
        );
      else Object.assign(place, plainOf(random, 2));
    } else if (list.length > 1 && random.chance(0.5)) list.splice(random.below(list.length), 1);
    else list.push(list.every((item) => typeof item === "object" && item !== null) ? one : random.of(names));
  }
  if (place["prefixItems"] !== undefined) delete place["contains"];
  return copy;
}

function replace(place: JsonObject, schema: JsonObject): void {
  for (const name of Object.keys(place)) Reflect.deleteProperty(place, name);
  Object.assign(place, schema);
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });

/** Whether a schema admits a value, by a validator that is not ours. */
export const judgeOf = (schema: JsonObject): ((value: Json) => boolean) => {
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return (value) => validate(value) as boolean;
};
