import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from "yaml";
import { WrongUse } from "../exit.ts";

/** A path in a YAML file: member names and list indexes. */
export type YamlPath = readonly (string | number)[];

/** A parsed YAML file that keeps its line numbers. */
export interface YamlFile {
  /** Its name in messages. */
  readonly name: string;
  readonly value: unknown;
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
 * @param isOurs a file of this program, in which YAML's warnings are faults, and 100 aliases are enough
 * @throws YamlError if it is not YAML, or repeats a member
 */
export function parseYaml(name: string, text: string, isOurs = true): YamlFile {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, merge: !isOurs });
  const lineAt = (offset: number): number => counter.linePos(offset).line || 1;
  // Errors after the first broken place are about text that was never written.
  const broken = document.errors.find(({ code }) => code !== "DUPLICATE_KEY");
  const problems = broken ? [broken] : [...document.errors, ...(isOurs ? document.warnings : [])];
  const hint = broken && /\{.*[^"'][$]\{/.test(text) ? '; within {…} quote a variable: "${NAME}"' : "";
  if (problems.length > 0)
    throw new YamlError(problems.map(({ pos, message }) => `${name}:${lineAt(pos[0])}: ${message}${hint}`));
  try {
    const value: unknown = document.toJS({ maxAliasCount: isOurs ? 100 : -1 });
    return { name, value, lineOf: (path) => lineIn(document.contents, lineAt, path) };
  } catch (error) {
    throw new YamlError([`${name}:1: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

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
