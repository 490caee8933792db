import { isDeepStrictEqual } from "node:util";
import { isObject, member, step, type Document, type Json, type JsonObject } from "./document.ts";

/** Keywords that say something to people and bind nobody. */
export const annotations = new Set([
  "title",
  "description",
  "summary",
  "example",
  "examples",
  "externalDocs",
  "deprecated",
  "$comment",
  "readOnly",
  "writeOnly",
]);

/** A schema with its references followed and its `allOf` joined. */
export interface View {
  /** The keywords, without `$ref` and `x-open`; `allOf` holds only what could not be joined. */
  keywords: JsonObject;
  /** The contract is silent here (x-open). */
  open: boolean;
  /** The open members of `allOf`, which bind nobody. */
  openParts: Json[];
  /** Where the schema stands, its reference followed. */
  pointer: string;
}

const deepest = 64;

/** The view of a schema; one that is absent, or `true`, allows everything. */
export function viewOf(document: Document, schema: Json | undefined, depth = 0): View {
  if (schema === false) return { keywords: { not: {} }, open: false, openParts: [], pointer: "" };
  if (!isObject(schema) || depth > deepest) return { keywords: {}, open: false, openParts: [], pointer: "" };
  const { $ref, allOf, "x-open": open, ...own } = schema;
  const view: View = {
    keywords: { ...own },
    open: open === true,
    openParts: [],
    pointer: document.pointerOf(schema) ?? "",
  };
  const binding = Object.keys(own).some((name) => !annotations.has(name)) || allOf !== undefined;
  if (typeof $ref === "string") {
    const target = viewOf(document, document.valueAt($ref.slice(1)), depth + 1);
    join(document, view, target);
    if (!binding && !view.open) view.pointer = target.pointer;
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const joined = viewOf(document, part, depth + 1);
    if (joined.open) view.openParts.push(part);
    else join(document, view, joined);
  }
  return view;
}

/** Adds what another schema asks for to a view; what cannot be joined stays apart, under `allOf`. */
function join(document: Document, view: View, other: View): void {
  view.open ||= other.open;
  view.openParts.push(...other.openParts);
  const { keywords } = view;
  const apart: JsonObject = {};
  for (const [name, value] of Object.entries(other.keywords)) {
    const mine = keywords[name];
    if (mine === undefined) keywords[name] = value;
    else if (annotations.has(name) || isDeepStrictEqual(mine, value)) continue;
    else if (name === "required" && Array.isArray(mine) && Array.isArray(value)) {
      keywords[name] = [...new Set([...mine, ...value])];
    } else if (name === "properties" && isObject(mine) && isObject(value)) {
      keywords[name] = { ...value, ...mine };
      for (const [property, schema] of Object.entries(value)) {
        const both = mine[property];
        if (both === undefined || isDeepStrictEqual(both, schema)) continue;
        const all: JsonObject = { allOf: [both, schema] };
        document.standsAt(all, `${view.pointer}/properties/${step(property)}`);
        (keywords[name] as JsonObject)[property] = all;
      }
    } else if (name === "allOf" && Array.isArray(mine) && Array.isArray(value)) mine.push(...value);
    else apart[name] = value;
  }
  if (Object.keys(apart).length > 0) {
    const others = keywords["allOf"];
    keywords["allOf"] = [...(Array.isArray(others) ? others : []), apart];
  }
}

/** The types that a view allows; null for any. */
export function typesOf({ keywords }: View): Set<string> | null {
  const { type, nullable } = keywords;
  const names = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : null;
  if (names === null) return null;
  return new Set(nullable === true ? [...names, "null"] : names);
}

/** The values that a view lists; null when it lists none. */
export function listedValues({ keywords }: View): Json[] | null {
  if (keywords["const"] !== undefined) return [keywords["const"]];
  const values = keywords["enum"];
  return Array.isArray(values) ? values : null;
}

/** The properties of a view: name and schema. */
export function propertiesOf({ keywords }: View): JsonObject {
  const properties = keywords["properties"];
  return isObject(properties) ? properties : {};
}

/** The fields that must be there: those of `required` that the contract does not leave open. */
export function promisedFields(document: Document, view: View): Set<string> {
  const required = view.keywords["required"];
  const properties = propertiesOf(view);
  return new Set(
    (Array.isArray(required) ? required : [])
      .map(String)
      .filter((name) => !viewOf(document, member(properties, name)).open),
  );
}
