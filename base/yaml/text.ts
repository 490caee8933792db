import { WrongUse } from "../exit.ts";
import { parseYaml, type YamlFile } from "./file.ts";
import { maxDepth } from "./limits.ts";
import type { Json } from "../data.ts";

/**
 * Parses a JSON or YAML text.
 * @throws WrongUse naming the line, when it is neither, or repeats a member
 */
export function parsed(name: string, text: string): YamlFile {
  const foreign = foreignText(text);
  if (foreign !== undefined) throw new WrongUse(`${name}${foreign}`);
  return parseJson(name, text) ?? parseYaml(name, text, false);
}

/** What a text is that is neither JSON nor YAML, and what to do about it; undefined if it may be. */
function foreignText(text: string): string | undefined {
  if (/^(\uFFFD|.?\0)/s.test(text)) return " is not in UTF-8, perhaps in UTF-16; save it as UTF-8";
  if (/^\uFEFF?\s*<(!doctype|html|\?xml|[a-z]+:)/i.test(text))
    return " is HTML or XML; name the JSON or YAML document itself";
  if (text.startsWith("#%RAML")) return " is RAML; convert it to OpenAPI 3";
  // Of comments in the middle of a JSON text the YAML parser complains.
  const line = /^\uFEFF?(?:\s*(?:\/\/[^\n]*|\/\*[^]*?\*\/))+\s*[[{]/.test(text);
  return line ? ":1: JSON has no comments; remove them" : undefined;
}

function parseJson(name: string, text: string): YamlFile | undefined {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  let value: Json;
  try {
    value = jsonIn(text.replace(/^\uFEFF/, ""));
  } catch {
    // The YAML parser names the line of the error, or reads what is valid YAML after all.
    return undefined;
  }
  const twice = namesIn(text) === membersIn(name, value) ? undefined : repeatedIn(text);
  if (twice !== undefined) throw new WrongUse(`${name}:${twice.line}: ${twice.name} is there twice`);
  return { name, value, lineOf: lineIn(text) };
}

/** The value of a JSON text; an integer that no number holds exactly is a bigint. */
function jsonIn(text: string): Json {
  if (!/[:[,\s]-?\d{16}/.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_name, value: Json, { source }: { source?: string } = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "")
      ? BigInt(source!)
      : value,
  ) as Json;
}

/** The number of members that a JSON text writes. */
function namesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    do at = text.indexOf('"', at + 1);
    while (isEscaped(text, at));
    let next = at + 1;
    while (" \t\n\r".includes(text[next] ?? "x")) next += 1;
    if (text[next] === ":") count += 1;
  }
  return count;
}

/** Whether a character follows an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start -= 1;
  return (at - start) % 2 === 1;
}

/** The number of members in a JSON value. @throws WrongUse when it is nested too deeply */
function membersIn(name: string, value: Json, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxDepth) throw new WrongUse(`${name} is nested more than ${maxDepth} levels deep`);
  const inside = Object.values<Json>(value);
  const count = Array.isArray(value) ? 0 : inside.length;
  return inside.reduce<number>((sum, inner) => sum + membersIn(name, inner, depth + 1), count);
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

function partsOf(text: string, isRepeated?: (name: string, line: number) => void): Part {
  const root: Part = { line: 1 };
  const open: Part[] = [];
  let [part, line] = [root, 1];
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*(:?))|[[\]{}\n]|[^\s"[\]{},:]+/g)) {
    const { inside, isList = false } = open.at(-1) ?? {};
    if (token === "\n") line += 1;
    else if (token === "}" || token === "]") open.pop();
    else {
      if (colon === ":") {
        const name = JSON.parse(token) as string;
        if (inside!.has(name)) isRepeated?.(name, line);
        inside!.set(name, (part = { line }));
      } else if (isList) inside!.set(String(inside!.size), (part = { line }));
      if (token !== "{" && token !== "[") continue;
      Object.assign(part, { inside: new Map(), isList: token === "[" });
      open.push(part);
    }
  }
  return root;
}

/** The first member that an object of a JSON text has twice. */
function repeatedIn(text: string): { name: string; line: number } | undefined {
  const found: { name: string; line: number }[] = [];
  partsOf(text, (name, line) => found.push({ name, line }));
  return found[0];
}
