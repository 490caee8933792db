import path from "node:path";
import type { Place } from "./change.ts";
import { Lines, member, step, stepsOf } from "./document.ts";
import { parsed, isObject } from "./document.ts";
import type { Source } from "./source.ts";

/**
 * Finds the lines of a document's parts. Where the document is the bundle of a `spec/openapi` that stands in the same
 * tree, the line is the spec's, which people edit, and not the bundle's.
 */
export class Places {
  readonly #source: Source;
  readonly #lines = new Map<string, Lines | null>();
  readonly #paths: unknown;
  readonly #specFolder: string;

  constructor(source: Source) {
    this.#source = source;
    this.#specFolder = path.posix.join(source.project, "spec/openapi");
    const root = source.tree.read(path.posix.join(this.#specFolder, "root.yaml"));
    const outline = root === undefined ? undefined : parsed("root.yaml", root);
    this.#paths = isObject(outline) ? outline["paths"] : undefined;
  }

  /** The line of what stands at a JSON pointer of the document, or of what encloses it. */
  of(pointer: string): Place {
    const [file, inside] = this.#spec(pointer) ?? [this.#source.file, pointer];
    const lines = this.#read(file) ?? this.#read(this.#source.file);
    return { file: this.#source.tree.shown(file), line: lines?.of(inside) ?? 1 };
  }

  /** The file of the spec that a pointer's part is written in, and the pointer there. */
  #spec(pointer: string): [file: string, pointer: string] | undefined {
    const [first, second, third, ...rest] = stepsOf(pointer);
    const there = (file: string, steps: string[]): [string, string] | undefined => {
      const full = path.posix.join(this.#specFolder, file);
      return this.#read(full) ? [full, steps.map((name) => `/${step(name)}`).join("")] : undefined;
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
    return this.#paths === undefined ? undefined : there("root.yaml", stepsOf(pointer));
  }

  #read(file: string): Lines | null {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      const text = this.#source.tree.read(file);
      lines = text === undefined ? null : new Lines(text);
      this.#lines.set(file, lines);
    }
    return lines;
  }
}
