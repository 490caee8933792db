import type { Json, JsonObject } from "../../base/data.ts";
import { isObject, itemsOf } from "../../base/data.ts";
import { judgeOf, schemaOf, valueOf, type Random } from "./fuzz.fixture.ts";

/** A way to write a schema otherwise that admits the same; undefined where it does not apply. */
type Law = (schema: JsonObject, random: Random) => JsonObject | undefined;

/** Keywords that mean the same wherever they appear in an `allOf`. */
const separable = new Set(
  `minLength maxLength pattern minimum maximum exclusiveMinimum multipleOf minItems maxItems uniqueItems
  minProperties maxProperties required dependentRequired propertyNames not enum const`.split(/\s+/),
);

const without = (schema: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

const joined = (...schemas: JsonObject[]): JsonObject => ({
  allOf: schemas.filter((schema) => Object.keys(schema).length > 0),
});

/** The laws of sets by which alternatives and parts of a schema are spread otherwise. */
export const laws: Record<string, Law> = {
  "all of one": (schema) => ({ allOf: [schema] }),
  "any of one": (schema) => ({ anyOf: [schema] }),
  "one of one": (schema) => ({ oneOf: [schema] }),
  "all of it and anything": (schema) => ({ allOf: [schema, {}] }),
  "any of it twice": (schema) => ({ anyOf: [schema, schema] }),
  "any of it and nothing": (schema) => ({ anyOf: [schema, false] }),
  "one of it and nothing": (schema) => ({ oneOf: [schema, false] }),
  "absorbed by a part": (schema, random) => ({ anyOf: [schema, { allOf: [schema, schemaOf(random, 2)] }] }),
  "absorbed by a whole": (schema, random) => ({ allOf: [schema, { anyOf: [schema, schemaOf(random, 2)] }] }),
  "parts apart": (schema, random) => {
    const names = Object.keys(schema).filter((name) => separable.has(name) && random.chance(0.6));
    if (names.length === 0) return undefined;
    const named = Object.fromEntries(names.map((name) => [name, schema[name]!]));
    return joined(without(schema, ...names), named);
  },
  "values as alternatives": (schema, random) => {
    const values = [
      ...new Map(itemsOf(schema["enum"]).map((value) => [JSON.stringify(value), value])).values(),
    ];
    if (values.length === 0) return undefined;
    return joined(without(schema, "enum"), {
      [random.of(["anyOf", "oneOf"])]: values.map((value) => ({ const: value })),
    });
  },
  "a constant as a list": (schema) =>
    schema["const"] === undefined || schema["enum"] !== undefined
      ? undefined
      : { ...without(schema, "const"), enum: [schema["const"]] },
  "types as alternatives": (schema, random) => {
    const types = itemsOf(schema["type"]);
    if (types.length < 2 || new Set(types).size < types.length || types.includes("number")) return undefined;
    return joined(without(schema, "type"), {
      [random.of(["anyOf", "oneOf"])]: types.map((type) => ({ type })),
    });
  },
  "alternatives in another order": (schema, random) => {
    const name = random.of(["anyOf", "oneOf", "allOf"]);
    const list = itemsOf(schema[name]);
    return list.length < 2 ? undefined : { ...schema, [name]: [...list.slice(1), list[0]!] };
  },
  "alternatives in groups": (schema) => {
    const list = itemsOf(schema["anyOf"]);
    return list.length < 2 ? undefined : { ...schema, anyOf: [list[0]!, { anyOf: list.slice(1) }] };
  },
  "the rest in each alternative": (schema, random) => {
    const name = random.of(["anyOf", "oneOf"]);
    const list = itemsOf(schema[name]).filter(isObject);
    const rest = without(schema, name);
    if (list.length === 0 || Object.keys(rest).length === 0 || list.length < itemsOf(schema[name]).length)
      return undefined;
    return { [name]: list.map((alternative) => ({ allOf: [alternative, rest] })) };
  },
};

/** A schema of which some parts are written otherwise, with the laws that were used. */
export function rewritten(random: Random, schema: JsonObject): { schema: JsonObject; used: string[] } {
  const copy = structuredClone(schema);
  const used: string[] = [];
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const place = random.of(placesOf(copy));
    const [name, law] = random.of(Object.entries(laws));
    const rewritten = law(structuredClone(place), random);
    if (rewritten === undefined) continue;
    used.push(name);
    for (const keyword of Object.keys(place)) Reflect.deleteProperty(place, keyword);
    Object.assign(place, structuredClone(rewritten));
  }
  return { schema: copy, used };
}

/** The schemas inside a schema, and itself. */
function placesOf(schema: Json): JsonObject[] {
  if (!isObject(schema)) return [];
  const lists = ["anyOf", "oneOf", "allOf", "prefixItems"].flatMap((name) => itemsOf(schema[name]));
  const named = ["properties", "patternProperties", "dependentSchemas"].flatMap((name) =>
    Object.values(schema[name] ?? {}),
  );
  const single = ["items", "not", "if", "then", "else", "contains", "additionalProperties"].map(
    (name) => schema[name]!,
  );
  return [schema, ...[...lists, ...named, ...single].flatMap(placesOf)];
}

/** A value that two schemas do not both admit or both refuse, among random ones; undefined when none was found. */
export function differenceOf(random: Random, one: JsonObject, other: JsonObject): Json | undefined {
  const judges = [one, other].map(judgeOf);
  return Array.from({ length: 60 }, () => valueOf(random)).find(
    (value) => judges[0]!(value) !== judges[1]!(value),
  );
}
