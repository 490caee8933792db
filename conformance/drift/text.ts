import { LineCounter, parseDocument } from "yaml";
import { WrongUse } from "../../cli/exit.ts";
import { lineIn } from "../../cli/yaml/file.ts";
import { stepsOf, type Json } from "./json.ts";

/** Maximum number of values in a document after expanding YAML anchors. */
const maxValues = 50_000_000;
/** Maximum nesting depth; documents that people write have about 40 levels. */
const maxDepth = 500;

/** A JSON or YAML text: its value, and the lines of its parts. */
export class Text {
  readonly value: unknown;
  readonly #lineOf: (steps: readonly string[]) => number;

  /** @throws WrongUse naming the line, when the text is neither JSON nor YAML */
  constructor(name: string, text: string) {
    const json = jsonOf(text);
    if (json === undefined) {
      const { value, contents, lineAt } = readYaml(name, text);
      this.value = value;
      this.#lineOf = (steps) => lineIn(contents, lineAt, steps);
    } else {
      sizeOf(name, json as Json, new Map());
      this.value = json;
      const lines = new JsonLines(text);
      this.#lineOf = (steps) => lines.of(steps);
    }
  }

  /** The line, from 1, of the part at a JSON pointer, or of its nearest enclosing part. */
  lineOf(pointer: string): number {
    return this.#lineOf(stepsOf(pointer));
  }
}

/**
 * Parses a JSON or YAML document.
 * @throws WrongUse naming the line, when it is neither
 */
export const parsed = (name: string, text: string): unknown => new Text(name, text).value;

function jsonOf(text: string): unknown {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    // The YAML parser names the line of the error, or reads what is valid YAML after all.
    return undefined;
  }
}

function readYaml(name: string, text: string) {
  const counter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: counter, keepSourceTokens: false, merge: true });
    const [error] = document.errors;
    if (error) {
      throw new WrongUse(`${name}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
    }
    const value = document.toJS({ maxAliasCount: -1 }) as unknown;
    if (sizeOf(name, value as Json, new Map()) > maxValues) {
      throw new WrongUse(`${name} has more than ${maxValues} values once its YAML anchors are written out`);
    }
    return { value, contents: document.contents, lineAt: (at: number) => counter.linePos(at).line };
  } catch (cause) {
    if (cause instanceof WrongUse) throw cause;
    const why = cause instanceof RangeError ? "it is nested too deeply" : (cause as Error).message;
    throw new WrongUse(`${name} cannot be read as YAML: ${why}`, { cause });
  }
}

/**
 * The number of values in a value, counting shared parts each time they occur.
 * @throws WrongUse when it is nested too deeply
 */
function sizeOf(name: string, value: Json, known: Map<object, number>, depth = 0): number {
  if (typeof value !== "object" || value === null) return 1;
  if (depth > maxDepth) throw new WrongUse(`${name} is nested more than ${maxDepth} levels deep`);
  let size = known.get(value);
  if (size === undefined) {
    size = 1;
    for (const inner of Object.values(value)) size += sizeOf(name, inner as Json, known, depth + 1);
    known.set(value, size);
  }
  return size;
}

/** Finds lines in a JSON text. Each container is scanned once, on first use. */
class JsonLines {
  readonly #text: string;
  readonly #members = new Map<number, Map<string, { at: number; value: number }>>();
  #lines: LineCounter | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  of(steps: readonly string[]): number {
    let at = this.#text.search(/[[{]/);
    let value = at;
    for (const name of steps) {
      const found = this.#membersAt(value).get(name);
      if (found === undefined) break;
      ({ at, value } = found);
    }
    if (this.#lines === undefined) {
      this.#lines = new LineCounter();
      this.#lines.addNewLine(0);
      for (const { index } of this.#text.matchAll(/\n/g)) this.#lines.addNewLine(index + 1);
    }
    return this.#lines.linePos(at).line;
  }

  /** The members of the container at an offset: where each name or item begins, and where its value does. */
  #membersAt(start: number): Map<string, { at: number; value: number }> {
    let found = this.#members.get(start);
    if (found === undefined) this.#members.set(start, (found = this.#findMembers(start)));
    return found;
  }

  #findMembers(start: number): Map<string, { at: number; value: number }> {
    const found = new Map<string, { at: number; value: number }>();
    const isList = this.#text[start] === "[";
    if (!isList && this.#text[start] !== "{") return found;
    const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;
    token.lastIndex = start;
    let depth = 0;
    let name: { text: string; at: number } | undefined;
    let expectsValue = isList;
    for (let next = token.exec(this.#text); next !== null; next = token.exec(this.#text)) {
      const [part] = next;
      const at = next.index;
      if (depth === 1) {
        if (part === "," || part === ":") expectsValue = isList || part === ":";
        else if (expectsValue && part !== "]") {
          found.set(isList ? String(found.size) : name!.text, { at: isList ? at : name!.at, value: at });
          expectsValue = false;
        } else if (part.startsWith('"')) name = { text: JSON.parse(part) as string, at };
      }
      if (part === "{" || part === "[") depth += 1;
      else if (part === "}" || part === "]") depth -= 1;
      if (depth === 0) break;
    }
    return found;
  }
}
