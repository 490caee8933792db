import path from "node:path";
import type { Place } from "./change.ts";
import { splitLocation } from "./document.ts";
import { member, step, stepsOf } from "./json.ts";
import type { Source } from "./source.ts";
import { Text } from "./text.ts";

/**
 * Finds the lines of a document's parts. If the document is the bundle of a `spec/openapi` in the same tree, the line
 * is in the spec, which people edit, and not in the bundle.
 */
export class Places {
  readonly #source: Source;
  readonly #texts = new Map<string, Text | undefined>();
  readonly #paths: unknown;
  readonly #specFolder: string;

  constructor(source: Source) {
    this.#source = source;
    this.#specFolder = path.posix.join(source.project, "spec/openapi");
    this.#paths = member(this.#read(path.posix.join(this.#specFolder, "root.yaml"))?.value, "paths");
  }

  /** The line of the part at a pointer of the document, or of its enclosing part. */
  of(pointer: string): Place {
    const { file, texts, tree } = this.#source;
    const [other, inside] = splitLocation(pointer);
    if (other !== "") return { file: tree.shown(other), line: texts.get(other)?.lineOf(inside) ?? 1 };
    const spec = this.#paths === undefined ? undefined : this.#inSpec(pointer);
    return spec ?? { file: tree.shown(file), line: texts.get("")?.lineOf(pointer) ?? 1 };
  }

  /** The place in the spec of the part at a pointer. */
  #inSpec(pointer: string): Place | undefined {
    const [first = "", second = "", third = "", ...rest] = stepsOf(pointer);
    const reference = first === "paths" ? member(member(this.#paths, second), "$ref") : undefined;
    const behind = stepsOf(pointer).slice(2);
    const files: [name: string, steps: string[]][] = [["root.yaml", stepsOf(pointer)]];
    if (typeof reference === "string") files.unshift([reference, behind]);
    else if (first === "components" && third !== "")
      files.unshift(second === "schemas" ? [`schemas/${third}.yaml`, rest] : [`${second}.yaml`, behind]);
    for (const [name, steps] of files) {
      const file = path.posix.join(this.#specFolder, name);
      const line = this.#read(file)?.lineOf(steps.map((one) => `/${step(one)}`).join(""));
      if (line !== undefined) return { file: this.#source.tree.shown(file), line };
    }
    return undefined;
  }

  #read(file: string): Text | undefined {
    if (!this.#texts.has(file)) {
      const content = this.#source.tree.read(file);
      this.#texts.set(file, content === undefined ? undefined : new Text(file, content));
    }
    return this.#texts.get(file);
  }
}
