import { byText, canonical, entriesOf, itemsOf, kept, member } from "../../base/data.ts";
import type { Json, JsonObject } from "../../base/data.ts";
import { isPatternWithin } from "./patterns.ts";
import { boundTypes, exclusiveOf, impliesBound, matches } from "./schema.ts";
import type { Bound, BoundName, Schema } from "./schema.ts";

/** The answer to a question about values; undefined where it cannot be decided. */
export type Known = boolean | undefined;

/** What a keyword asks of values of some types by itself, without another schema. */
interface Demand {
  readonly kind: "bound" | "form" | "constraint";
  /** The keyword, and others that say the same in another way. */
  readonly keywords: readonly [string, ...string[]];
  readonly types: readonly string[];
  /** The demands of a schema. */
  of(schema: Schema): unknown[];
  /** What the other keywords of a schema ask of the same. */
  impliedBy?(schema: Schema): unknown[];
  /** Whether every value that meets one meets the other. */
  implies(given: unknown, asked: unknown): boolean;
  isMet(asked: unknown, value: Json): Known;
}

const areEqual = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

function boundOf(name: BoundName): Demand {
  const type = boundTypes[name.slice(3) as keyof typeof boundTypes];
  /** A number itself, else a length or a count. */
  const sizeOf = (value: Json): number | bigint =>
    type === "number"
      ? (value as number)
      : Object.keys(type === "string" ? [...String(value)] : value!).length;
  const implies = (given: Bound, asked: Bound): boolean => impliesBound(name, given, asked);
  return {
    kind: "bound",
    keywords: [name, exclusiveOf(name)],
    types: [type],
    of: (schema) => [schema.bound(name) ?? []].flat(),
    impliedBy: (schema) => (type === "number" ? rangesOf(schema, name) : []),
    implies,
    // The matching items of a list are counted elsewhere.
    isMet: (asked: Bound, value) =>
      name.endsWith("Contains") || implies({ value: sizeOf(value), exclusive: false }, asked),
  };
}

/** The least and the greatest number of a format. */
const ranges: Record<string, readonly [number | bigint, number | bigint]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** The bounds of a whole number that its formats say. */
const rangesOf = (schema: Schema, name: BoundName): Bound[] =>
  schema.types.has("number") || schema.types.has("string")
    ? []
    : schema
        .all("format")
        .flatMap((format) => ranges[String(format)]?.[name.startsWith("min") ? 0 : 1] ?? [])
        .map((value) => ({ value, exclusive: false }));

/** Formats that can be checked; nothing is known of any other. */
const formats: Record<string, RegExp> = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/,
  uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
  password: /^/,
  binary: /^/,
  byte: /^/,
};
/** The formats that every value of a format has as well. */
const widerFormats: Record<string, readonly unknown[]> = {
  int32: ["int64"],
  float: ["double", "decimal"],
  url: ["uri", "uri-reference", "iri", "iri-reference"],
  uri: ["uri-reference", "iri", "iri-reference"],
  "uri-reference": ["iri-reference"],
  iri: ["iri-reference"],
  email: ["idn-email"],
  hostname: ["idn-hostname"],
};

interface Form {
  types: readonly string[];
  isMet?: (asked: Json, value: Json) => Known;
  /** Whether every value of one form has the other, which is not the same. */
  isWithin?: (given: Json, asked: Json) => boolean;
  /** Whether every value of a schema has the form. */
  isIdle?: (asked: Json, schema: Schema) => boolean;
}

/** Whether every number of a schema has a format: by its bounds, or since JSON carries no other (RFC 8259, section 6). */
function isIdleFormat(format: string, schema: Schema): boolean {
  const { types } = schema;
  if (types.has("string")) return false;
  if (format === "double" || types.has("number")) return format === "double";
  const [least, most] = [schema.bound("minimum")?.value, schema.bound("maximum")?.value];
  return format === "int64" || (format === "int32" && Number(least) >= -(2 ** 31) && Number(most) < 2 ** 31);
}

const forms: Record<string, Form> = {
  pattern: {
    types: ["string"],
    isMet: matches,
    isWithin: (given, asked) => isPatternWithin(String(given), String(asked)),
    isIdle: (asked) => /^(\^|\$|\^?\.\*\$?)?$/.test(String(asked)),
  },
  format: {
    types: ["string", "number"],
    isMet: (asked, value) => typeof value === "number" || formats[String(asked)]?.test(String(value)),
    isWithin: (given, asked) => widerFormats[String(given)]?.includes(asked) === true,
    isIdle: (asked, schema) => isIdleFormat(String(asked), schema),
  },
  multipleOf: {
    types: ["number"],
    isMet: (step, value) => Number.isInteger(Math.round((Number(value) / Number(step)) * 1e9) / 1e9),
    isWithin: (given, asked) => Number.isInteger(Number(given) / Number(asked)),
    isIdle: (step, { types }) => !types.has("number") && Number.isInteger(1 / Number(step)),
  },
  uniqueItems: {
    types: ["array"],
    isMet: (_, value) => byText(itemsOf(value)).size === itemsOf(value).length,
  },
  contentEncoding: { types: ["string"] },
  contentMediaType: { types: ["string"] },
};

/** Bounds, forms, and fields that are required together. */
export const demands: readonly Demand[] = [
  ...Object.keys(boundTypes).flatMap((about) =>
    (["min", "max"] as const).map((end) => boundOf(`${end}${about}` as BoundName)),
  ),
  ...Object.entries(forms).map(([keyword, { types, isMet, isWithin, isIdle }]): Demand => ({
    kind: "form",
    keywords: [keyword],
    types,
    // A whole number is a multiple of one.
    impliedBy: (schema) => (keyword === "multipleOf" && !schema.types.has("number") ? [1] : []),
    of: (schema) => schema.all(keyword).filter((asked) => asked !== false && !isIdle?.(asked, schema)),
    implies: (given: Json, asked: Json) => areEqual(given, asked) || isWithin?.(given, asked) === true,
    isMet: (asked: Json, value) => isMet?.(asked, value),
  })),
  {
    kind: "constraint",
    keywords: ["dependentRequired", "dependencies"],
    types: ["object"],
    of: (schema) =>
      schema
        .all("dependentRequired", "dependencies")
        .flatMap(entriesOf)
        .flatMap(([name, others]) => itemsOf(others).map((other) => ({ [name]: other }))),
    implies: areEqual,
    isMet: (asked: JsonObject, value) =>
      entriesOf(asked).every(
        ([name, other]) => member(value, name) === undefined || member(value, String(other)) !== undefined,
      ),
  },
];

const known = new WeakMap<Schema, ReadonlyMap<Demand, unknown[]>>();

/** The demands that a schema has, with what each asks. */
export const demandsOf = (schema: Schema): ReadonlyMap<Demand, unknown[]> =>
  kept(known, schema, () => {
    const asked = demands.map((demand) => [demand, demand.of(schema)] as const);
    return new Map(asked.filter(([, { length }]) => length > 0));
  });

/** What a schema asks in one way, whatever the keyword. */
export const givenBy = (schema: Schema, demand: Demand): unknown[] => [
  ...(demandsOf(schema).get(demand) ?? []),
  ...(demand.impliedBy?.(schema) ?? []),
];

/** Keywords that are compared by a rule. */
export const compared = new Set([
  ...demands.flatMap(({ keywords }) => keywords),
  ...`type enum const default properties required additionalProperties unevaluatedProperties items prefixItems
  additionalItems unevaluatedItems patternProperties propertyNames anyOf oneOf not if then else contains
  dependentSchemas contentSchema discriminator x-values x-extensible-enum`.split(/\s+/),
]);
