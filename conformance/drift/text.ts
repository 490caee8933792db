import { WrongUse } from "../../cli/exit.ts";
import { parseYaml } from "../../cli/yaml/file.ts";
import { step, stepsOf, type Json } from "./json.ts";

/** Maximum number of values in a document after expanding YAML anchors. */
const maxValues = 50_000_000;
/** Maximum nesting depth; documents that people write have about 40 levels. */
const maxDepth = 500;

/** A JSON or YAML text. */
export interface Text {
  value: unknown;
  /** The line, from 1, of the part at a JSON pointer, or of its nearest enclosing part. */
  lineOf: (pointer: string) => number;
}

/**
 * Parses a JSON or YAML text.
 * @throws WrongUse naming the line, when it is neither
 */
export function parsed(name: string, text: string): Text {
  const json = jsonOf(text);
  const yaml = json === undefined ? parseYaml(name, text, false) : undefined;
  const value = json ?? yaml?.value;
  if (sizeOf(name, value as Json, new Map()) > maxValues)
    throw new WrongUse(`${name} has more than ${maxValues} values once its YAML anchors are written out`);
  return { value, lineOf: yaml === undefined ? lineIn(text) : (pointer) => yaml.lineOf(stepsOf(pointer)) };
}

function jsonOf(text: string): unknown {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    // The YAML parser names the line of the error, or reads what is valid YAML after all.
    return undefined;
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

/** Finds the line of a part of a JSON text by its pointer. */
function lineIn(text: string): (pointer: string) => number {
  let lines: ReadonlyMap<string, number> | undefined;
  return function lineOf(pointer): number {
    const found = (lines ??= linesOf(text)).get(pointer);
    return found ?? (pointer === "" ? 1 : lineOf(pointer.slice(0, pointer.lastIndexOf("/"))));
  };
}

/** The line of each part of a JSON text by its pointer: where its name begins, or else its value. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** The containers that are open, each with what names its next member. */
  const open: { pointer: string; next: string | number | undefined }[] = [];
  let line = 1;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:\n]|[^\s"[\]{},:]+/g)) {
    const inner = open.at(-1);
    if (token === "\n") line += 1;
    else if (token === "}" || token === "]") open.pop();
    else if (inner !== undefined && token === ",")
      inner.next = typeof inner.next === "number" ? inner.next + 1 : undefined;
    else if (token !== ":") {
      const isName = inner !== undefined && inner.next === undefined;
      if (isName) inner.next = JSON.parse(token) as string;
      const pointer = inner === undefined ? "" : `${inner.pointer}/${step(inner.next!)}`;
      if (isName || !lines.has(pointer)) lines.set(pointer, line);
      if (!isName && /^[[{]/.test(token)) open.push({ pointer, next: token === "[" ? 0 : undefined });
    }
  }
  return lines;
}
