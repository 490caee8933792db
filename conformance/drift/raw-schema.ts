import { canonical, entriesOf, isObject, itemsOf, member } from "../../base/data.ts";
import type { Json, JsonObject } from "../../base/data.ts";
import { sharedTypes, typesIn, typesNamed, type Types } from "./types.ts";

/** Keywords for people or tools, which do not affect the admitted values. */
const annotations = new Set(
  `title description summary example examples externalDocs deprecated xml readOnly writeOnly nullable
  $comment $id $schema $anchor $dynamicAnchor $vocabulary $defs definitions`.split(/\s+/),
);

/** Whether a keyword has no effect on traffic, as most extensions. */
export const isAnnotation = (name: string): boolean =>
  annotations.has(name) || /^x-(?!(open|values|extensible-enum)$)/.test(name);

/** The keywords of a raw schema that have an effect on traffic. */
export const bindingIn = (raw: Json): string[] =>
  entriesOf(raw).flatMap(([name]) => (isAnnotation(name) ? [] : name));

/** Keywords with the schemas that a schema is composed of. */
export const joining = ["$ref", "$dynamicRef", "allOf", "x-open"];

/** Whether a raw schema means null; generators of OpenAPI 3.0 write `nullable` without a type for it. */
function isNullOnly(raw: Json): boolean {
  if (isObject(raw)) {
    const [[keyword, ways] = ["", []], ...others] = entriesOf(raw).filter(([name]) => !isAnnotation(name));
    const isWrapped = ["allOf", "anyOf", "oneOf"].includes(keyword) && others.length === 0;
    if (isWrapped) return itemsOf(ways).length === 1 && isNullOnly(itemsOf(ways)[0]!);
  }
  const said = bindingIn(raw).map((name) => `${name} ${canonical(member(raw, name), 10)}`);
  if (said.length === 0) return member(raw, "nullable") === true;
  return said.every((text) => /^(type \[?"null"\]?|enum \[null\]|const null)$/.test(text));
}

/** Whether null fits a raw schema, as far as is clear without its references, which are assumed not to admit it. */
function mayAdmitNull(raw: Json): boolean {
  if (!isObject(raw)) return raw === true;
  const listed = raw["enum"] ?? (raw["const"] === undefined ? [null] : [raw["const"]]);
  if (raw["$ref"] !== undefined || !itemsOf(listed).includes(null)) return false;
  const [all, any] = [itemsOf(raw["allOf"]), [...itemsOf(raw["anyOf"]), ...itemsOf(raw["oneOf"])]];
  return typesIn(raw).has("null") && all.every(mayAdmitNull) && (any.length === 0 || any.some(mayAdmitNull));
}

/** Alternatives as written, without one that admits only null, and their types where they are merely types. */
export const choicesOf = (raw: JsonObject) =>
  (["anyOf", "oneOf"] as const).flatMap((keyword) => {
    const written = itemsOf(raw[keyword]);
    // An alternative that nothing fits adds nothing, unless there is no other.
    const possible = written.filter((schema) => schema !== false);
    const all = possible.length > 0 ? possible : written;
    if (all.length === 0) return [];
    // Other keywords mention null too; and under oneOf, it is excluded where another alternative admits it.
    const isKept =
      ["type", "enum", "const"].some((name) => raw[name] !== undefined) ||
      (keyword === "oneOf" && all.filter((schema) => isNullOnly(schema) || mayAdmitNull(schema)).length > 1);
    const members = isKept ? all : all.filter((schema) => !isNullOnly(schema));
    const hasNull = members.length < all.length;
    const isTyped = members.length !== 1 && members.every((member) => bindingIn(member).join() === "type");
    const types = isTyped ? members.flatMap((member) => [...typesIn(member as JsonObject)]) : [];
    // Of oneOf only where no type has two alternatives, since a value that fits both is refused.
    const isUnion = isTyped && (keyword === "anyOf" || new Set(types).size === types.length);
    return {
      keyword,
      members,
      hasNull,
      types: isUnion ? typesNamed([...types, ...(hasNull ? ["null"] : [])]) : null,
    };
  });

/** The types that a raw schema names, itself and by alternatives. */
export const typesOf = (raw: JsonObject): Types =>
  sharedTypes([typesIn(raw), ...choicesOf(raw).flatMap(({ types }) => types ?? [])]);
