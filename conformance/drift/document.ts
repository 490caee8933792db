import { decoded } from "../../base/address.ts";
import { WrongUse } from "../../base/exit.ts";
import {
  isObject,
  kept,
  member,
  step,
  stepsOf,
  valueAt,
  type Json,
  type JsonObject,
} from "../../base/data.ts";

/** Maximum length of a chain of references; a longer one is treated as circular. */
const maxChain = 32;

/** Members whose names the author chooses: `example` or `default` among them is not a keyword. */
const named = new Set(
  `properties patternProperties dependentSchemas $defs definitions schemas responses parameters requestBodies headers
  links callbacks pathItems securitySchemes mediaTypes content paths webhooks x-webhooks examples`.split(
    /\s+/,
  ),
);
/** Keywords with a literal value: a `$ref` inside is not a reference. */
const literal = new Set(["example", "examples", "default", "const", "enum", "value", "x-values"]);

/** Whether a member may hold anything; `x-webhooks` are what OpenAPI 3.1 calls webhooks. */
const isExtension = (name: string): boolean => name.startsWith("x-") && name !== "x-webhooks";

/** The objects of a value outside literal values, each with its pointer. */
export function objectsIn(root: Json): Map<JsonObject, string> {
  const objects = new Map<JsonObject, string>();
  const seen = new Set<JsonObject | Json[]>();
  const enter = (value: JsonObject | Json[], pointer: string, isNamed: boolean): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (!Array.isArray(value)) objects.set(value, pointer);
    for (const name of Object.keys(value)) {
      const inner = (value as JsonObject)[name];
      if (typeof inner !== "object" || inner === null) continue;
      if (!isNamed && (literal.has(name) || isExtension(name))) continue;
      enter(inner, `${pointer}/${step(name)}`, !isNamed && named.has(name));
    }
  };
  if (typeof root === "object" && root !== null) enter(root, "", false);
  return objects;
}

/** A file of a document: its value, and the objects in it. */
export interface DocumentFile {
  value: Json;
  objects: Map<JsonObject, string>;
}

export const fileOf = (value: unknown): DocumentFile => ({
  value: value as Json,
  objects: objectsIn(value as Json),
});

/** The beginning of a location in a file. A pointer begins with `/`, and so may the name of a file. */
const inFile = (file: string): string => (file === "" ? "" : `#${file}#`);

/** The file of a location, empty for the document itself, and the pointer there. */
export function splitLocation(location: string): [file: string, pointer: string] {
  const [, file = "", pointer = location] = /^#([^#]*)#(.*)/s.exec(location) ?? [];
  return [file, pointer];
}

/** The address that a document gives itself. */
export const selfOf = (root: unknown): string | undefined => {
  const self = member(root, "$self");
  return typeof self === "string" ? self : undefined;
};

/** What other kinds of documents hold, and what to do with each. */
const foreign: Readonly<Record<string, string>> = {
  swagger: "it is Swagger 2.0; convert it, as with swagger2openapi",
  overlay: "it is an overlay; apply it to its document, and compare the result",
  arazzo: "it is Arazzo, which describes workflows; name the document that it uses",
  asyncapi: "it is AsyncAPI, which describes messages",
  "info _postman_id": "it is a Postman collection; export it as OpenAPI 3",
  "log entries": "it is a HAR recording; give it with --traffic",
  openapi: "its version is not 3.0, 3.1 or 3.2",
  $schema: "it is a JSON Schema without an API around it",
  $defs: "it is a JSON Schema without an API around it",
};

/** Why a document is none of OpenAPI 3. */
const foreignTo = (root: unknown): string =>
  Object.entries(foreign).find(([place]) => valueAt(root, place.split(" ")) !== undefined)?.[1] ??
  "it should begin with openapi: 3.0.x, 3.1.x or 3.2.x";

/**
 * An OpenAPI 3 document with the files that it references. Knows the location of each of its objects: a JSON pointer,
 * prefixed with the file's name between two `#` unless it is in the document itself.
 */
export class Document {
  /** Its name in messages: the file, address or revision. */
  readonly name: string;
  readonly root: JsonObject;
  readonly #files: ReadonlyMap<string, DocumentFile>;
  readonly #resolve: (reference: string, from: string) => string;
  /** The files by their own `$self`, which OpenAPI 3.2 lets references use. */
  readonly #selves = new Map<string, string>();
  readonly #pointers: Map<object, string>;
  /** What references lead to, by their file. */
  readonly #targets = new Map<string, Json | undefined>();
  /** Objects by `$id`, `$anchor` and `$dynamicAnchor`. */
  readonly #anchors = new Map<string, JsonObject>();

  /**
   * @param files the document under the empty name, and the files that it references by theirs
   * @param resolve the name of the file that a reference in a file means
   * @throws WrongUse when it is not an OpenAPI 3 document, or refers to what it does not hold
   */
  constructor(
    name: string,
    root: unknown,
    files: ReadonlyMap<string, DocumentFile> = new Map([["", fileOf(root)]]),
    resolve: (reference: string, from: string) => string = (reference) => reference,
  ) {
    this.name = name;
    // YAML reads an unquoted 3.1 as a number.
    if (!isObject(root) || !/^3(\.|$)/.test(String(root["openapi"])))
      throw new WrongUse(`${name} is not an OpenAPI 3 document: ${foreignTo(root)}`);
    if (!["paths", "webhooks", "x-webhooks", "components"].some((part) => isObject(root[part])))
      throw new WrongUse(`${name} is an OpenAPI document without paths, webhooks or components`);
    this.root = root;
    this.#files = files;
    this.#resolve = resolve;
    this.#pointers = files.get("")!.objects;
    const references: [string, JsonObject][] = [];
    for (const [file, { value, objects }] of files) {
      const [self, prefix] = [selfOf(value), inFile(file)];
      if (self !== undefined) this.#selves.set(self, file);
      for (const [object, pointer] of objects) {
        if (file !== "") this.#pointers.set(object, prefix + pointer);
        const { $ref, $id, $anchor, $dynamicAnchor } = object;
        if (typeof $ref === "string") references.push([$ref, object]);
        if (typeof $id === "string") this.#anchors.set($id, object);
        for (const anchor of [$anchor, $dynamicAnchor])
          if (typeof anchor === "string" && !this.#anchors.has(`${prefix}#${anchor}`))
            this.#anchors.set(`${prefix}#${anchor}`, object);
      }
    }
    for (const [reference, object] of references) {
      // A property may be named $ref; its value is not a string, so only odd literals are missed here.
      if (this.target(reference, object) !== undefined) continue;
      const [file, inside] = splitLocation(this.#pointers.get(object)!);
      const place = `${reference} at ${inside || "/"}`;
      throw new WrongUse(`${file || this.name} refers to ${place}, which it does not hold`);
    }
  }

  /** Its objects, each with its location. */
  get objects(): ReadonlyMap<JsonObject, string> {
    return this.#pointers as ReadonlyMap<JsonObject, string>;
  }

  get version(): string | null {
    const version = member(this.root["info"], "version");
    return version === undefined ? null : String(version);
  }

  /** The location of an object of this document; undefined for any other value. */
  pointerOf(value: unknown): string | undefined {
    return typeof value === "object" && value !== null ? this.#pointers.get(value) : undefined;
  }

  /** OpenAPI 3.0, in which the siblings of a reference have no effect. */
  get isOld(): boolean {
    return String(this.root["openapi"]).startsWith("3.0");
  }

  /** Gives a value made of a part of the document the location of that part. */
  derive<T extends object>(value: T, from: object): T {
    this.#pointers.set(value, this.#pointers.get(from) ?? "");
    return value;
  }

  /** The target of a reference in an object; undefined when it does not exist. */
  target(reference: string, from: object): Json | undefined {
    const base = this.#files.size === 1 ? "" : splitLocation(this.#pointers.get(from) ?? "")[0];
    return kept(this.#targets, `${base}#${reference}`, () => this.#find(reference, base));
  }

  #find(reference: string, base: string): Json | undefined {
    const known = this.#anchors.get(reference);
    if (known !== undefined) return known;
    const [file = "", fragment = ""] = reference.split(/#(.*)/s);
    const name = file === "" ? base : (this.#selves.get(file) ?? this.#resolve(file, base));
    const root = this.#files.get(name)?.value;
    if (root === undefined || fragment === "") return root;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${inFile(name)}#${fragment}`);
    return valueAt(root, stepsOf(fragment)) ?? valueAt(root, stepsOf(decoded(fragment)));
  }

  /**
   * Resolves the references of a parameter, header, answer or body.
   * @throws WrongUse when they are circular
   */
  resolved(value: Json | undefined, links = 0): Json | undefined {
    const reference = member(value, "$ref");
    if (typeof reference !== "string") return value;
    if (links === maxChain) throw new WrongUse(`${this.name}: ${reference} refers to itself`);
    return this.resolved(this.target(reference, value as JsonObject), links + 1);
  }
}
