import { canonical, entriesOf, isObject, itemsOf, type Json, type JsonObject } from "./json.ts";

/** Keywords for people or tools, which do not affect the admitted values. */
const annotations = new Set(
  `title description summary example examples externalDocs deprecated xml readOnly writeOnly nullable
  $comment $id $schema $anchor $dynamicAnchor $vocabulary $defs definitions`.split(/\s+/),
);

const bindingExtensions = ["x-open", "x-values", "x-extensible-enum"];

/** Whether a keyword has no effect on traffic. */
export const isAnnotation = (name: string): boolean =>
  annotations.has(name) || (name.startsWith("x-") && !bindingExtensions.includes(name));

/** Keywords with the schemas that a schema is composed of. */
export const joining = new Set(["$ref", "$dynamicRef", "allOf", "x-open"]);

/** Types as a set, in which `number` includes `integer`. */
export const normalTypes = (types: Iterable<string>): Set<string> => {
  const found = new Set(types);
  if (found.has("number")) found.delete("integer");
  return found;
};

/** The types that a raw schema names; null when it names none. */
export const typeSet = (raw: JsonObject): Set<string> | null => {
  const { type, nullable } = raw;
  const names = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : null;
  return names && normalTypes(nullable === true ? [...names, "null"] : names);
};

/** The intersection of two sets of types; null means any. */
export function sharedTypes(one: Set<string> | null, other: Set<string> | null): Set<string> | null {
  if (one === null || other === null) return one ?? other;
  const shared = [...one].flatMap((type) => {
    if (other.has(type)) return type;
    const isNumeric = type === "integer" ? other.has("number") : type === "number" && other.has("integer");
    return isNumeric ? "integer" : [];
  });
  return new Set(shared);
}

/** The type of a JSON value. */
export const typeOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value === "number" && Number.isInteger(value)
        ? "integer"
        : typeof value;

function isNullOnly(raw: Json): boolean {
  const said = entriesOf(raw).filter(([name]) => !isAnnotation(name));
  const isNull = ([name, value]: [string, Json]): boolean =>
    /^(type|enum|const)$/.test(name) && /^\[?"?null"?\]?$/.test(canonical(value, 10));
  return said.length > 0 && said.every(isNull);
}

/** Whether null fits a raw schema, as far as can be told without its references, which are taken not to admit it. */
function mayAdmitNull(raw: Json): boolean {
  if (!isObject(raw)) return raw === true;
  if (raw["$ref"] !== undefined || raw["enum"] !== undefined || raw["const"] !== undefined) return false;
  const [all, any] = [itemsOf(raw["allOf"]), [...itemsOf(raw["anyOf"]), ...itemsOf(raw["oneOf"])]];
  const isTyped = typeSet(raw)?.has("null") === false;
  return !isTyped && all.every(mayAdmitNull) && (any.length === 0 || any.some(mayAdmitNull));
}

/** Whether a raw schema says no more than a type. */
const isTypeOnly = (raw: Json): boolean =>
  isObject(raw) &&
  raw["type"] !== undefined &&
  Object.keys(raw).every((name) => name === "type" || isAnnotation(name));

/** Alternatives as written, without one that admits only null, and their types where they are merely types. */
export interface RawChoice {
  keyword: "anyOf" | "oneOf";
  members: Json[];
  hasNull: boolean;
  types: Set<string> | null;
}

export function choicesOf(raw: JsonObject): RawChoice[] {
  return (["anyOf", "oneOf"] as const).flatMap((keyword) => {
    const all = itemsOf(raw[keyword]);
    // Other keywords speak of null too; and under oneOf, it is excluded where another alternative admits it.
    const isKept =
      ["type", "enum", "const"].some((name) => raw[name] !== undefined) ||
      (keyword === "oneOf" && all.filter((one) => isNullOnly(one) || mayAdmitNull(one)).length > 1);
    const members = isKept ? all : all.filter((one) => !isNullOnly(one));
    const hasNull = members.length < all.length;
    return all.length === 0
      ? []
      : { keyword, members, hasNull, types: typesAmong(keyword, members, hasNull) };
  });
}

/**
 * The types of alternatives that consist of nothing but types. Of `oneOf` only where no type has two alternatives, since
 * a value that fits both is refused.
 */
function typesAmong(keyword: "anyOf" | "oneOf", members: Json[], hasNull: boolean): Set<string> | null {
  if (members.length === 1 || !members.every(isTypeOnly)) return null;
  const types = members.flatMap((one) => [...typeSet(one as JsonObject)!]);
  const known = new Set(types);
  const isExclusive = known.size === types.length && !(known.has("integer") && known.has("number"));
  return keyword === "anyOf" || isExclusive ? normalTypes([...known, ...(hasNull ? ["null"] : [])]) : null;
}

/** The alternatives of a raw schema that are not merely types, where there is anything to choose from. */
export const alternativesOf = (raw: JsonObject): RawChoice[] =>
  choicesOf(raw).filter(
    ({ members, hasNull, types }) => types === null && members.length + Number(hasNull) > 1,
  );
