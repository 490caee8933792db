import { canonical, entriesOf, isObject, itemsOf, type Json, type JsonObject } from "./json.ts";
import { typesIn, typesNamed, type Types } from "./types.ts";

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

function isNullOnly(raw: Json): boolean {
  const said = entriesOf(raw).filter(([name]) => !isAnnotation(name));
  const isNull = ([name, value]: [string, Json]): boolean =>
    /^(type|enum|const)$/.test(name) && /^\[?"?null"?\]?$/.test(canonical(value, 10));
  return said.length > 0 && said.every(isNull);
}

/** Whether null fits a raw schema, as far as is clear without its references, which are assumed not to admit it. */
function mayAdmitNull(raw: Json): boolean {
  if (!isObject(raw)) return raw === true;
  if (raw["$ref"] !== undefined || raw["enum"] !== undefined || raw["const"] !== undefined) return false;
  const [all, any] = [itemsOf(raw["allOf"]), [...itemsOf(raw["anyOf"]), ...itemsOf(raw["oneOf"])]];
  return typesIn(raw).has("null") && all.every(mayAdmitNull) && (any.length === 0 || any.some(mayAdmitNull));
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
  types: Types | null;
}

export function choicesOf(raw: JsonObject): RawChoice[] {
  return (["anyOf", "oneOf"] as const).flatMap((keyword) => {
    const all = itemsOf(raw[keyword]);
    // Other keywords mention null too; and under oneOf, it is excluded where another alternative admits it.
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
function typesAmong(keyword: "anyOf" | "oneOf", members: Json[], hasNull: boolean): Types | null {
  if (members.length === 1 || !members.every(isTypeOnly)) return null;
  const types = members.flatMap((one) => [...typesIn(one as JsonObject)]);
  const isExclusive = new Set(types).size === types.length;
  return keyword === "anyOf" || isExclusive ? typesNamed([...types, ...(hasNull ? ["null"] : [])]) : null;
}

/** The alternatives of a raw schema that are not merely types, where there is anything to choose from. */
export const alternativesOf = (raw: JsonObject): RawChoice[] =>
  choicesOf(raw).filter(
    ({ members, hasNull, types }) => types === null && members.length + Number(hasNull) > 1,
  );
