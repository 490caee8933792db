import { LineCounter, parseDocument } from "yaml";
import { WrongUse } from "../judge/verdict.ts";

/** A JSON value as it stands in an OpenAPI document. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The member of an object, or undefined; never something inherited. */
export const member = (value: unknown, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The members of an object by name; none for anything else. */
export const entriesOf = (value: unknown): [string, Json][] => (isObject(value) ? Object.entries(value) : []);

/** A step of a JSON pointer, escaped. */
export const step = (name: string | number): string =>
  String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** The steps of a JSON pointer, unescaped. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The deepest references chain that is followed before it is taken for a circle. */
const longestChain = 32;

/** An OpenAPI 3 document with local references only, which knows where each of its objects stands. */
export class Document {
  /** How messages call it: the file or the revision. */
  readonly name: string;
  readonly root: JsonObject;
  readonly #pointers = new Map<object, string>();

  /** @throws WrongUse when it is no OpenAPI 3 document, or refers to what it does not hold */
  constructor(name: string, root: unknown) {
    this.name = name;
    const version = member(root, "openapi");
    if (!isObject(root) || typeof version !== "string" || !version.startsWith("3.")) {
      throw new WrongUse(`${name} is no OpenAPI 3 document: it should begin with openapi: 3.1.0, or 3.0.x`);
    }
    if (!isObject(root["paths"])) throw new WrongUse(`${name} is an OpenAPI document without paths`);
    this.root = root;
    this.#learn(root, "");
  }

  #learn(value: Json, pointer: string): void {
    if (typeof value !== "object" || value === null || this.#pointers.has(value)) return;
    this.#pointers.set(value, pointer);
    for (const [name, inner] of Object.entries(value)) this.#learn(inner as Json, `${pointer}/${step(name)}`);
    const reference = member(value, "$ref");
    // A property may be called $ref; only a schema's or a component's own is a reference.
    if (typeof reference === "string" && !pointer.endsWith("/properties")) this.#check(reference, pointer);
  }

  #check(reference: string, pointer: string): void {
    if (!reference.startsWith("#")) {
      throw new WrongUse(
        `${this.name} refers to another file (${reference}, at ${pointer}); give the bundled document, as generated/openapi.json is one`,
      );
    }
    if (this.valueAt(reference.slice(1)) === undefined) {
      throw new WrongUse(`${this.name} refers to ${reference} at ${pointer}, which it does not hold`);
    }
  }

  get version(): string | null {
    const version = member(this.root["info"], "version");
    return version === undefined ? null : String(version);
  }

  /** The value at a JSON pointer; undefined when there is none. */
  valueAt(pointer: string): Json | undefined {
    let value: unknown = this.root;
    for (const name of stepsOf(pointer)) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    return value as Json;
  }

  /** Where an object of this document stands; undefined for a value that is no object of it. */
  pointerOf(value: unknown): string | undefined {
    return typeof value === "object" && value !== null ? this.#pointers.get(value) : undefined;
  }

  /** Calls something by another name: a view that was made of an object stands where the object does. */
  standsAt(made: object, pointer: string): void {
    this.#pointers.set(made, pointer);
  }

  /**
   * Follows the references of a parameter, a header, an answer or a body to what they lead to.
   * @throws WrongUse when they go in a circle
   */
  resolved(value: Json | undefined): Json | undefined {
    let current = value;
    for (let links = 0; ; links += 1) {
      const reference = member(current, "$ref");
      if (typeof reference !== "string") return current;
      if (links === longestChain) throw new WrongUse(`${this.name}: ${reference} refers to itself`);
      current = this.valueAt(reference.slice(1));
    }
  }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** One operation of a document. */
export interface OperationAt {
  /** Its operationId, or `METHOD /path` where it has none. */
  name: string;
  method: string;
  path: string;
  pointer: string;
  operation: JsonObject;
  /** The path item, whose parameters it shares. */
  shared: JsonObject;
}

/** The operations of a document, in its order. */
export function operationsOf(document: Document): OperationAt[] {
  return entriesOf(document.root["paths"]).flatMap(([path, written]) => {
    const shared = document.resolved(written);
    if (!isObject(shared)) return [];
    return methods.flatMap((method) => {
      const operation = shared[method];
      if (!isObject(operation)) return [];
      const id = operation["operationId"];
      return {
        name: typeof id === "string" ? id : `${method.toUpperCase()} ${path}`,
        method,
        path,
        pointer: `/paths/${step(path)}/${method}`,
        operation,
        shared,
      };
    });
  });
}

/** The pointers of all components that a part of a document refers to, directly or through others. */
export function referencesFrom(document: Document, part: Json): Set<string> {
  const found = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name !== "$ref" || typeof inner !== "string") visit(inner as Json);
      else if (!found.has(inner.slice(1))) {
        found.add(inner.slice(1));
        visit(document.valueAt(inner.slice(1)));
      }
    }
  };
  visit(part);
  return found;
}

/**
 * Reads the text of a JSON or YAML document.
 * @throws WrongUse that names the line, when it is neither
 */
export function parsed(name: string, text: string): unknown {
  const counter = new LineCounter();
  const document = parseText(text, counter);
  const [error] = document.errors;
  if (error) {
    throw new WrongUse(`${name}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
  }
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    throw new WrongUse(`${name} cannot be read as YAML: ${(cause as Error).message}`, { cause });
  }
}

/** JSON is YAML, and is read by the same parser, so that both have lines. */
const parseText = (text: string, counter: LineCounter) =>
  parseDocument(text, { lineCounter: counter, keepSourceTokens: false, merge: true });

/** The lines of one text of YAML or JSON, by JSON pointer. */
export class Lines {
  readonly #document;
  readonly #counter = new LineCounter();

  constructor(text: string) {
    this.#document = parseText(text, this.#counter);
  }

  /** The line of what stands at the pointer, or of the nearest that encloses it; 1 when there is nothing. */
  of(pointer: string): number {
    let line = 1;
    let node: unknown = this.#document.contents;
    for (const name of stepsOf(pointer)) {
      const found = inside(node, name);
      if (found === undefined) break;
      if (found.offset !== undefined) line = this.#counter.linePos(found.offset).line;
      node = found.value;
    }
    return line;
  }
}

type Ranged = { range?: [number, number, number] | null };

/** A member of a YAML mapping or list: where its name, or the item, begins, and its node. */
function inside(node: unknown, name: string): { offset: number | undefined; value: unknown } | undefined {
  if (typeof node !== "object" || node === null || !("items" in node)) return undefined;
  const items = node.items as unknown[];
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null) continue;
    if ("key" in item) {
      const { key, value } = item as { key: unknown; value?: unknown };
      if (String((key as { value?: unknown } | null)?.value ?? key) !== name) continue;
      return { offset: (key as Ranged | null)?.range?.[0], value };
    }
    if (String(index) === name) return { offset: (item as Ranged).range?.[0], value: item };
  }
  return undefined;
}
