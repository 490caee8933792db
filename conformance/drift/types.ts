import type { JsonObject } from "../../base/data.ts";

/** Types of JSON values. `number` is a number that is not whole, and never occurs without `integer`. */
export type Types = ReadonlySet<string>;

const anyType: Types = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** Types of which all values can be listed. */
export const booleanOrNull: Types = new Set(["boolean", "null"]);

export const isAnyType = (types: Types): boolean => types.size >= anyType.size;

export const typesNamed = (names: readonly string[]): Types =>
  new Set(names.flatMap((name) => (name === "number" ? ["integer", name] : name)));

/** The types that a raw schema names; any when it names none. */
export function typesIn({ type, nullable }: JsonObject): Types {
  if (typeof type !== "string" && !Array.isArray(type)) return anyType;
  return typesNamed([...[type].flat().map(String), ...(nullable === true ? ["null"] : [])]);
}

/** Whether some types are among others; any is whatever a document calls one. */
export const isWithin = (types: Types, others: Types): boolean =>
  isAnyType(others) || types.isSubsetOf(others);

/** The types that all of some sets have, in the order of the first that does not have all. */
export const sharedTypes = (sets: readonly Types[]): Types =>
  sets.reduce(
    (one, other) => (isAnyType(one) ? other : new Set([...one].filter((type) => other.has(type)))),
    anyType,
  );

export const without = (types: Types, type: string): Types => types.difference(new Set([type]));

/** The names of types for a report. */
export const namesOf = (types: Types): string[] =>
  [...types].filter((type) => type !== "integer" || !types.has("number"));

/** The type of a JSON value. */
export function typeOf(value: unknown): string {
  if (typeof value === "bigint") return "integer";
  if (typeof value !== "object") return Number.isInteger(value) ? "integer" : typeof value;
  return value === null ? "null" : Array.isArray(value) ? "array" : "object";
}
