import { isObject, stepsOf, valueAt, type Json, type JsonObject } from "../../base/data.ts";
import type { OpenApiDocument } from "../bundle.ts";

/** The part of a bundle that a local reference points to. */
function targetOf(spec: OpenApiDocument, reference: string): JsonObject {
  const found = valueAt(spec, stepsOf(reference));
  if (!isObject(found)) throw new Error(`${reference} leads nowhere in the bundled spec`);
  return found;
}

/** A node with its reference resolved; members next to the reference win. */
export function resolved(spec: OpenApiDocument, node: JsonObject): JsonObject {
  const { $ref, ...own } = node;
  return typeof $ref === "string" ? { ...resolved(spec, targetOf(spec, $ref)), ...own } : own;
}

/** The name of the component that a node refers to. */
export const componentOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === "string" ? $ref.split("/").at(-1) : undefined;

export const isOpen = (node: JsonObject): boolean => node["x-open"] === true;

/** A schema with its reference resolved and its `allOf` merged, without the parts that the contract leaves open. */
export function joined(spec: OpenApiDocument, node: JsonObject): JsonObject {
  const { allOf, ...own } = resolved(spec, node);
  let schema = own;
  for (const part of listOf(allOf)) {
    const other = joined(spec, part);
    if (isOpen(other)) continue;
    schema = {
      ...other,
      ...schema,
      ...(both(schema["required"], other["required"]) && {
        required: [...new Set([...strings(other["required"]), ...strings(schema["required"])])],
      }),
      ...(both(schema["properties"], other["properties"]) && {
        properties: { ...objectOf(other["properties"]), ...objectOf(schema["properties"]) },
      }),
    };
  }
  return schema;
}

const both = (one: unknown, other: unknown): boolean => one !== undefined && other !== undefined;

/** The objects in a list; empty if it is not a list. */
export const listOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const strings = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((member) => typeof member === "string") : [];

const anyType = ["string", "number", "boolean", "object", "array", "null"];

/** The JSON types that a merged schema allows; all types if it names none. */
export function typesOf(spec: OpenApiDocument, schema: JsonObject): string[] {
  const { type, anyOf } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return strings(type);
  const alternatives = listOf(anyOf).flatMap((alternative) => typesOf(spec, joined(spec, alternative)));
  return alternatives.length > 0 ? [...new Set(alternatives)] : anyType;
}

const bounds = [
  "const",
  "enum",
  "default",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "pattern",
  "format",
] as const;

/** The keywords of a merged schema that constrain its values. */
export const boundsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(bounds.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])));
