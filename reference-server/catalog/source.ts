import { readFileSync } from "node:fs";
import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from "yaml";

/** A step into a YAML file: names of members and positions in lists. */
export type Path = readonly (string | number)[];

/** One YAML file as a value, which still knows its lines. */
export interface Source {
  file: string;
  /** Undefined when the file is not readable as YAML; `problems` then says why. */
  value: unknown;
  /** Each as `file:line: reason`. */
  problems: string[];
  /** `file:line` of the member at the path, or of the nearest thing around it that exists. */
  at(path: Path): string;
}

/** Reads a YAML file. `file` is how its problems name it. */
export function readSource(fullPath: string, file: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(fullPath, "utf8"), { lineCounter: lines, prettyErrors: false });
  const problems = [...document.errors, ...document.warnings].map(
    (error) => `${file}:${lines.linePos(error.pos[0]).line || 1}: ${error.message}`,
  );
  const lineOf = (offset: number): number => lines.linePos(offset).line || 1;

  function at(path: Path): string {
    let node: unknown = document.contents;
    let line = isNode(node) && node.range ? lineOf(node.range[0]) : 1;
    for (const step of path) {
      if (isMap(node)) {
        const pair: unknown = node.items.find(({ key }) => isScalar(key) && key.value === step);
        if (!isPair(pair)) break;
        if (isNode(pair.key) && pair.key.range) line = lineOf(pair.key.range[0]);
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        if (isNode(node) && node.range) line = lineOf(node.range[0]);
      } else break;
    }
    return `${file}:${line}`;
  }

  let value: unknown;
  if (problems.length === 0) {
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      problems.push(`${file}:1: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { file, value, problems, at };
}
