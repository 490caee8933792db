import { WrongUse } from "../exit.ts";
import { parseYaml, type YamlFile } from "./file.ts";
import { kept, type Json } from "../data.ts";

/** Maximum number of values in a document after expanding YAML anchors. */
const maxValues = 50_000_000;
/** Maximum nesting depth; documents that people write have about 40 levels. */
const maxDepth = 500;

/**
 * Parses a JSON or YAML text.
 * @throws WrongUse naming the line, when it is neither
 */
export function parsed(name: string, text: string): YamlFile {
  const file = parseJson(name, text) ?? parseYaml(name, text, false);
  if (sizeOf(name, file.value as Json, new Map()) > maxValues)
    throw new WrongUse(`${name} has more than ${maxValues} values once its YAML anchors are written out`);
  return file;
}

function parseJson(name: string, text: string): YamlFile | undefined {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return { name, value: JSON.parse(text.replace(/^\uFEFF/, "")), lineOf: lineIn(text) };
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
  return kept(known, value, () =>
    Object.values<Json>(value).reduce<number>(
      (size, inner) => size + sizeOf(name, inner, known, depth + 1),
      1,
    ),
  );
}

/** A part of a JSON text: the line where its name begins, or else its value, and what is in it. */
interface Part {
  line: number;
  inside?: Map<string, Part>;
  isList?: boolean;
}

/** Finds the line of a part of a JSON text. */
function lineIn(text: string): YamlFile["lineOf"] {
  let root: Part | undefined;
  return (path) => {
    let part = (root ??= partsOf(text));
    for (const name of path) part = part.inside?.get(String(name)) ?? { line: part.line };
    return part.line;
  };
}

function partsOf(text: string): Part {
  const root: Part = { line: 1 };
  const open: Part[] = [];
  let [part, line] = [root, 1];
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*(:?))|[[\]{}\n]|[^\s"[\]{},:]+/g)) {
    const { inside, isList = false } = open.at(-1) ?? {};
    if (token === "\n") line += 1;
    else if (token === "}" || token === "]") open.pop();
    else {
      if (colon === ":") inside!.set(JSON.parse(token) as string, (part = { line }));
      else if (isList) inside!.set(String(inside!.size), (part = { line }));
      if (token !== "{" && token !== "[") continue;
      Object.assign(part, { inside: new Map(), isList: token === "[" });
      open.push(part);
    }
  }
  return root;
}
