import { canonical, entriesOf, itemsOf, member, type Json, type JsonObject } from "./json.ts";
import { boundTypes, exclusiveOf, matches, type Bound, type BoundName, type Schema } from "./schema.ts";

/** The answer to a question about values; undefined where it cannot be decided. */
export type Known = boolean | undefined;

/** What a keyword asks of values of some types by itself, without another schema. */
export interface Demand {
  readonly kind: "bound" | "form" | "constraint";
  /** The keyword, and others that say the same in another way. */
  readonly keywords: readonly [string, ...string[]];
  readonly types: readonly string[];
  /** The demands of a schema. */
  of(schema: Schema): unknown[];
  /** Whether every value that meets one meets the other. */
  implies(given: unknown, asked: unknown): boolean;
  isMet(asked: unknown, value: Json): Known;
}

const areEqual = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** A number itself, else a length or a count. */
const sizeOf = (value: Json): number =>
  typeof value === "number"
    ? value
    : typeof value === "string"
      ? [...value].length
      : Object.keys(value!).length;

function boundOf(about: keyof typeof boundTypes, end: "min" | "max"): Demand {
  const name: BoundName = `${end}${about}`;
  const sign = end === "min" ? 1 : -1;
  return {
    kind: "bound",
    keywords: [name, exclusiveOf(name)],
    types: [boundTypes[about]],
    of: (schema) => [schema.bound(name) ?? []].flat(),
    implies: (given: Bound, asked: Bound) =>
      sign * given.value > sign * asked.value ||
      (given.value === asked.value && (given.exclusive || !asked.exclusive)),
    isMet({ value: edge, exclusive }: Bound, value) {
      // The matching items of a list are counted elsewhere.
      if (about === "Contains") return true;
      return sign * sizeOf(value) > sign * edge || (sizeOf(value) === edge && !exclusive);
    },
  };
}

const formOf = (
  keyword: string,
  types: readonly string[],
  isMet: (asked: Json, value: Json) => Known = () => undefined,
  isWithin: (given: Json, asked: Json) => boolean = () => false,
): Demand => ({
  kind: "form",
  keywords: [keyword],
  types,
  of: (schema) => schema.asked(keyword),
  implies: (given: Json, asked: Json) => areEqual(given, asked) || isWithin(given, asked),
  isMet,
});

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
const widerFormats: Record<string, string> = { int32: "int64", float: "double" };

const isMultiple = (value: unknown, step: unknown): boolean =>
  Number.isInteger(Math.round((Number(value) / Number(step)) * 1e9) / 1e9);

/** Bounds, forms, and fields that are required together. */
export const demands: readonly Demand[] = [
  ...(Object.keys(boundTypes) as (keyof typeof boundTypes)[]).flatMap((about) => [
    boundOf(about, "min"),
    boundOf(about, "max"),
  ]),
  formOf(
    "pattern",
    ["string"],
    (asked, value) => matches(String(asked), String(value)),
    (given, asked) => /^\^?\.\+\$?$/.test(String(asked)) && matches(String(given), "") === false,
  ),
  formOf(
    "format",
    ["string", "number"],
    (asked, value) => typeof value === "number" || formats[String(asked)]?.test(String(value)),
    (given, asked) => widerFormats[String(given)] === asked,
  ),
  formOf(
    "multipleOf",
    ["number"],
    (step, value) => isMultiple(value, step),
    (given, asked) => Number.isInteger(Number(given) / Number(asked)),
  ),
  formOf(
    "uniqueItems",
    ["array"],
    (_, value) => new Set(itemsOf(value).map((one) => canonical(one))).size === itemsOf(value).length,
  ),
  formOf("contentEncoding", ["string"]),
  formOf("contentMediaType", ["string"]),
  {
    kind: "constraint",
    keywords: ["dependentRequired", "dependencies"],
    types: ["object"],
    of: (schema) =>
      [...schema.all("dependentRequired"), ...schema.all("dependencies")].flatMap((value) =>
        entriesOf(value).flatMap(([name, others]) => itemsOf(others).map((other) => ({ [name]: other }))),
      ),
    implies: areEqual,
    isMet: (asked: JsonObject, value) =>
      entriesOf(asked).every(
        ([name, other]) => member(value, name) === undefined || member(value, String(other)) !== undefined,
      ),
  },
];

/** Keywords that are compared by a rule. */
export const compared = new Set([
  ...demands.flatMap(({ keywords }) => keywords),
  ...`type enum const default properties required additionalProperties unevaluatedProperties items prefixItems
  additionalItems unevaluatedItems patternProperties propertyNames anyOf oneOf not if then else contains
  dependentSchemas contentSchema discriminator x-values x-extensible-enum`.split(/\s+/),
]);
