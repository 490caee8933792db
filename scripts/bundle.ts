import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";

/** A JSON object as it stands in an OpenAPI document. */
export type JsonObject = { [name: string]: Json };
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** An OpenAPI document as far as this project walks it. */
export interface OpenApiDocument extends JsonObject {
  info: JsonObject;
  paths: { [path: string]: JsonObject };
  components: { [kind: string]: JsonObject };
}

/** The order in which the kinds of components stand in a bundle. */
const componentKinds = ["schemas", "parameters", "headers", "responses", "securitySchemes"];

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Joins the files of the spec to one document whose references are all local.
 *
 * `schemas/<Name>.yaml` becomes the component `schemas/<Name>`; `<kind>.yaml#/<Name>` becomes the component
 * `<kind>/<Name>`; a path file is put where it is referred to, since an OpenAPI path item cannot be shared.
 *
 * @param root the file that holds the document's outline
 * @returns the document, with its components sorted by name, so that equal specs give equal documents
 * @throws Error that names the file and the reference, when a reference leads nowhere
 */
export async function bundle(root: string): Promise<OpenApiDocument> {
  const folder = path.dirname(root);
  const files = new Map<string, Promise<Json>>();
  const components = new Map<string, Map<string, Json>>();

  const load = (file: string, from: string): Promise<Json> => {
    let content = files.get(file);
    if (!content) {
      content = readFile(file, "utf8").then(
        (text) => parse(text) as Json,
        () =>
          Promise.reject(new Error(`${path.relative(folder, from)} refers to ${file}, which is not there`)),
      );
      files.set(file, content);
    }
    return content;
  };

  const component = async (
    kind: string,
    name: string,
    file: string,
    pick: (content: Json) => Json | undefined,
    from: string,
  ) => {
    const ofKind = components.get(kind) ?? new Map<string, Json>();
    components.set(kind, ofKind);
    if (!ofKind.has(name)) {
      ofKind.set(name, null);
      const found = pick(await load(file, from));
      if (found === undefined)
        throw new Error(`${path.relative(folder, from)} refers to ${name}, which ${file} does not hold`);
      ofKind.set(name, await resolve(found, file));
    }
    return `#/components/${kind}/${name}`;
  };

  const follow = async (reference: string, from: string): Promise<string | Json> => {
    const [target = "", pointer = ""] = reference.split("#");
    if (target === "") return reference;
    const file = path.resolve(path.dirname(from), target);
    const base = path.basename(file, ".yaml");
    const parent = path.basename(path.dirname(file));
    if (parent === "paths") return resolve(await load(file, from), file);
    if (parent === "schemas") return component("schemas", base, file, (content) => content, from);
    const name = pointer.replace(/^\//, "");
    return component(base, name, file, (content) => (isObject(content) ? content[name] : undefined), from);
  };

  const resolve = async (value: Json, from: string): Promise<Json> => {
    if (Array.isArray(value)) return Promise.all(value.map((item) => resolve(item, from)));
    if (!isObject(value)) return value;
    const { $ref, ...rest } = value;
    const entries = await Promise.all(
      Object.entries(rest).map(async ([name, item]) => [name, await resolve(item, from)] as const),
    );
    if (typeof $ref !== "string") return Object.fromEntries(entries);
    const target = await follow($ref, from);
    return typeof target === "string" ? { $ref: target, ...Object.fromEntries(entries) } : target;
  };

  const document = (await resolve(await load(root, root), root)) as OpenApiDocument;
  const own = document.components;
  document.components = {};
  for (const kind of componentKinds) {
    const found = Object.fromEntries([...(components.get(kind) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
    document.components[kind] = { ...found, ...own[kind] };
  }
  return document;
}
