import * as fc from "fast-check";
import { stepsOf, valueAt } from "../../../base/data.ts";

/** A JSON schema of the spec, including references. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  not?: Schema;
  const?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  "x-values"?: string[];
  [keyword: string]: unknown;
}

/** Resolves a `$ref` of a document; returns any other node unchanged. */
export function resolved<Node extends object>(document: object, node: Node): Node {
  const { $ref: reference } = node as { $ref?: string };
  if (reference === undefined) return node;
  return resolved(document, valueAt(document, stepsOf(reference)) as Node);
}

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/** Any character of Unicode. fast-check's own unit, "binary", lists all of them first, which takes a second. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates));

/** Strings that parsers, databases, patterns and pages tend to mishandle. */
export const hostileStrings: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202e\u2066",
  "e\u0301\u0301\u0301",
  "İıſK",
  "👩‍👩‍👧‍👦",
  "\r\nX-Injected: 1",
  "=1+1",
  "@SUM(A1)",
  "'; DROP TABLE accounts; --",
  '" OR ""="',
  "%00%ff%zz",
  "../../../../etc/passwd",
  "..\\..\\",
  "http://127.0.0.1:9/",
  "http://169.254.169.254/latest/meta-data/",
  "<script>alert(1)</script>",
  "${7*7}{{7*7}}",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "NaN",
  "-0",
  "1e400",
  "0x10",
  "9223372036854775808",
  "2026-02-30",
  "2026-11-20T25:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "0000-00-00",
  "fields:",
  "fields:,,,",
  "fields:$",
  "fields:$..*..*..*..*..*",
  "fields:$[?@.a == @.b && @..c]",
  "fields:$[?match(@.a, '(a+)+$')]",
  `fields:${"$..*,".repeat(30)}`,
  `fields:$${"[0]".repeat(150)}`,
  `fields:${"(".repeat(400)}`,
  "a".repeat(129),
  "a".repeat(5_000),
  "é".repeat(70_000),
];

/** Numbers at and beyond the bounds of the types that store them. */
const boundaryNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.1,
  1e-7,
  1e-320,
  49,
  50,
  51,
  100,
  101,
  500,
  501,
  50_000,
  50_001,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e21,
  1e308,
  -1e308,
];

/** Any JSON value, with a preference for harmful ones. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: null }),
  fc.constantFrom(...hostileStrings),
  fc.constantFrom(...boundaryNumbers),
  fc.string({ unit: character, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : typeof type === "string" ? [type] : type;

function formatted(format: string | undefined): fc.Arbitrary<string> | undefined {
  switch (format) {
    case "email":
      return fc.oneof(fc.emailAddress(), fc.constantFrom("a@mail.example", "A.B+c@sub.mail.example"));
    case "uuid":
      return fc.uuid();
    case "date":
      return fc.constantFrom("2026-11-20", "2024-02-29");
    case "date-time":
      return fc.constantFrom("2026-11-20T00:00:00Z", "2026-11-20T23:59:59.999+08:00");
    case "uri":
      return fc.constantFrom("https://example.com/a", "http://127.0.0.1:9/");
    default:
      return undefined;
  }
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const known = formatted(schema.format);
  if (known !== undefined) return known;
  const plain =
    schema.pattern === undefined
      ? fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "grapheme", maxLength: 20 }))
      : fc.stringMatching(new RegExp(anchored(schema.pattern), "u"));
  const { minLength = 0, maxLength = Infinity } = schema;
  return plain.filter(({ length }) => length >= minLength && length <= maxLength);
}

/** A tool's patterns match whole strings; those of the spec carry their own anchors. */
const anchored = (pattern: string): string => (pattern.startsWith("^") ? pattern : `^(?:${pattern})$`);

/** Bounded, so that numbers are often near each other and near the bounds. */
function numberOf(schema: Schema, integer: boolean): fc.Arbitrary<number> {
  const least =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1_000 : schema.exclusiveMinimum + 1);
  const most = schema.maximum ?? Math.max(least, 0) + 100_000;
  const between = integer
    ? fc.integer({ min: Math.ceil(least), max: Math.floor(most) })
    : fc.double({ min: least, max: most, noNaN: true });
  return fc.oneof(between, fc.constantFrom(least, most)).filter((value) => schema.not?.const !== value);
}

/** Values that satisfy a schema, as far as the keywords used in requests go. */
export function keeping(document: object, written: Schema): fc.Arbitrary<unknown> {
  const { allOf = [], ...own } = resolved(document, written);
  const schema: Schema = Object.assign({}, own, ...allOf.map((part) => resolved(document, part)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema["x-values"] !== undefined) return fc.constantFrom(...schema["x-values"]);
  const choices = typesOf(schema).map((type): fc.Arbitrary<unknown> => {
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return numberOf(schema, true);
      case "number":
        return numberOf(schema, false);
      case "string":
        return stringOf(schema);
      case "array":
        return fc.array(keeping(document, schema.items ?? {}), { maxLength: 5 });
      default:
        return objectOf(document, schema);
    }
  });
  return choices.length === 0 ? fc.jsonValue({ maxDepth: 2 }) : fc.oneof(...choices);
}

function objectOf(document: object, { properties, required = [] }: Schema): fc.Arbitrary<unknown> {
  if (properties === undefined)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }));
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, keeping(document, property)]),
  );
  return fc.record(members, { requiredKeys: required.filter((name) => name in members) });
}

/** Values that break the schema of an object, mostly in one place: missing, of another type, at a bound, unknown. */
export function breaking(document: object, schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {} } = resolved(document, schema);
  const names = [...Object.keys(properties), "__proto__", "unknown"];
  const changed = fc
    .tuple(keeping(document, schema), fc.constantFrom(...names), fc.option(hostileValue, { nil: undefined }))
    .map(([value, name, instead]) => {
      const members = Object.entries(value as object).filter(([member]) => member !== name);
      return Object.fromEntries(instead === undefined ? members : [...members, [name, instead]]);
    });
  return fc.oneof({ weight: 5, arbitrary: changed }, { weight: 1, arbitrary: hostileValue });
}
