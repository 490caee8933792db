import path from "node:path";
import type { Place } from "./change.ts";
import { splitLocation } from "./document.ts";
import { isObject, member, step, stepsOf } from "./json.ts";
import type { Source } from "./source.ts";
import { Text } from "./text.ts";

/**
 * Finds the lines of a document's parts. If the document is the bundle of a `spec/openapi` in the same tree, the line
 * is in the spec, which people edit, and not in the bundle.
 */
export class Places {
  readonly #source: Source;
  readonly #texts = new Map<string, Text | null>();
  readonly #paths: unknown;
  readonly #specFolder: string;

  constructor(source: Source) {
    this.#source = source;
    this.#specFolder = path.posix.join(source.project, "spec/openapi");
    const outline = this.#read(path.posix.join(this.#specFolder, "root.yaml"))?.value;
    this.#paths = isObject(outline) ? outline["paths"] : undefined;
  }

  /** The line of the part at a pointer of the document, or of its enclosing part. */
  of(pointer: string): Place {
    const { file, texts, tree } = this.#source;
    const [other, inside] = splitLocation(pointer);
    if (other !== "") return { file: tree.shown(other), line: texts.get(other)?.lineOf(inside) ?? 1 };
    const spec = this.#spec(pointer);
    if (spec !== undefined) return { file: tree.shown(spec.file), line: spec.text.lineOf(spec.pointer) };
    return { file: tree.shown(file), line: texts.get("")?.lineOf(pointer) ?? 1 };
  }

  /** The file of the spec with a pointer's part, and the pointer in that file. */
  #spec(pointer: string): { file: string; text: Text; pointer: string } | undefined {
    if (this.#paths === undefined) return undefined;
    const [first, second, third, ...rest] = stepsOf(pointer);
    const there = (name: string, steps: string[]) => {
      const file = path.posix.join(this.#specFolder, name);
      const text = this.#read(file);
      return text === null
        ? undefined
        : { file, text, pointer: steps.map((one) => `/${step(one)}`).join("") };
    };
    if (first === "paths" && second !== undefined) {
      const reference = member(member(this.#paths, second), "$ref");
      const steps = third === undefined ? [] : [third, ...rest];
      if (typeof reference === "string") return there(reference, steps);
    }
    if (first === "components" && second !== undefined && third !== undefined) {
      const found =
        second === "schemas"
          ? there(`schemas/${third}.yaml`, rest)
          : there(`${second}.yaml`, [third, ...rest]);
      if (found) return found;
    }
    return there("root.yaml", stepsOf(pointer));
  }

  #read(file: string): Text | null {
    let text = this.#texts.get(file);
    if (text === undefined) {
      const content = this.#source.tree.read(file);
      text = content === undefined ? null : new Text(file, content);
      this.#texts.set(file, text);
    }
    return text;
  }
}
