import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from "yaml";
import { BeyondLimits, withinLimits } from "./limits.ts";
import { WrongUse } from "../exit.ts";

/** A path in a YAML file: member names and list indexes. */
export type YamlPath = readonly (string | number)[];

/** A parsed YAML file that keeps its line numbers. */
export interface YamlFile {
  /** Its name in messages. */
  readonly name: string;
  /** An integer that no number holds exactly is a bigint. */
  readonly value: unknown;
  /** What is not as it should be, and how it was read, each with its line. */
  readonly notes?: readonly string[];
  /** The line of the member at a path, or of its nearest existing ancestor. */
  lineOf(path: YamlPath): number;
}

/** The problems of YAML files, one per line: `file:line: place: what is wrong; what would be right`. */
export class YamlError extends WrongUse {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * Parses a YAML text.
 * @param isOurs a file of this program, in which YAML's warnings are faults, and 100 aliases are enough; other files are
 *   read as far as it is clear what is meant, with a note
 * @throws YamlError if it is not YAML, or repeats a member
 */
export function parseYaml(name: string, text: string, isOurs = true): YamlFile {
  const { document, lineAt, repairs } = isOurs ? documentOf(text, true) : repairedDocumentOf(text);
  const at = (offset: number, message: string): string => `${name}:${lineAt(offset)}: ${message}`;
  // Errors after the first broken place are about text that was never written.
  const broken = document.errors.find(({ code }) => code !== "DUPLICATE_KEY");
  const problems = broken ? [broken] : [...document.errors, ...(isOurs ? document.warnings : [])];
  const hint = broken && /\{.*[^"'][$]\{/.test(text) ? '; within {…} quote a variable: "${NAME}"' : "";
  if (problems.length > 0)
    throw new YamlError(problems.map(({ pos, message }) => at(pos[0], message + hint)));
  const warnings = document.warnings.map(({ pos, message }) => at(pos[0], message));
  const [included] = warnings.filter((warning) => /Unresolved tag: !(inc|imp|load|ref)/i.test(warning));
  if (included !== undefined)
    throw new YamlError([`${included}, which only some programs know; bundle the files, or refer with $ref`]);
  const lineOf = (path: YamlPath): number => lineIn(document.contents, lineAt, path);
  try {
    const value = withinLimits(document.toJS({ maxAliasCount: isOurs ? 100 : -1 }));
    const notes = [
      ...repairs.map((repair) => `${name}:${repair}; it is read as most readers do.`),
      ...warnings,
    ];
    return { name, value, notes, lineOf };
  } catch (error) {
    if (error instanceof BeyondLimits) {
      const { path, message } = error;
      throw new YamlError([`${name}${path ? `:${lineOf(path)}: ${path.join(".")}` : ""} ${message}`]);
    }
    throw new YamlError([`${name}:1: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Digits that a number may not hold exactly. */
const manyDigits = /\d{16}/;

function documentOf(text: string, isOurs: boolean) {
  const lineCounter = new LineCounter();
  const intAsBigInt = !isOurs && manyDigits.test(text);
  const options = { lineCounter, prettyErrors: false, merge: !isOurs, intAsBigInt };
  const lineAt = (offset: number): number => lineCounter.linePos(offset).line || 1;
  return { document: parseDocument(text, options), lineAt, repairs: [] as string[] };
}

const maxRepairs = 200;

/**
 * Parses a text in which a comment may lack the space before it, and a quoted text or a list or map in brackets its
 * indentation, as most readers take it.
 */
function repairedDocumentOf(yaml: string): ReturnType<typeof documentOf> {
  const first = documentOf(yaml, false);
  const repairs: string[] = [];
  let [found, text] = [first, yaml];
  for (let [error] = found.document.errors; error !== undefined; [error] = found.document.errors) {
    const [at] = error.pos;
    const isComment = error.message.startsWith("Comments must be separated");
    const isInside = /^Missing closing ["']quote|^Flow .* sufficiently indented/.test(error.message);
    const isEnd = text.slice(at).trim() === "";
    if (!(isComment || isInside) || isEnd || repairs.length === maxRepairs) break;
    const line = text.lastIndexOf("\n", at) + 1;
    const place = isComment ? at : line;
    text = text.slice(0, place) + (isComment ? " " : deepIndent) + text.slice(place);
    const what = isComment
      ? "a comment has no space before it"
      : "a line of a quoted text, or within brackets, is indented too little";
    repairs.push(`${found.lineAt(place)}: ${what}`);
    found = documentOf(text, false);
  }
  return found.document.errors.length > 0 ? first : { ...found, repairs };
}

/** More than what a document is indented by. */
const deepIndent = " ".repeat(100);

/** The line of the part of a parsed text at a path, or of its nearest existing ancestor. */
function lineIn(contents: unknown, lineAt: (offset: number) => number, path: YamlPath): number {
  let node = contents;
  let line = isNode(node) && node.range ? lineAt(node.range[0]) : 1;
  for (const step of path) {
    if (isMap(node)) {
      const pair: unknown = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!isPair(pair)) break;
      if (isNode(pair.key) && pair.key.range) line = lineAt(pair.key.range[0]);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (isNode(node) && node.range) line = lineAt(node.range[0]);
    } else break;
  }
  return line;
}
