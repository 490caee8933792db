import path from "node:path";
import type { Place } from "./change.ts";
import { splitLocation } from "./document.ts";
import { member, stepsOf } from "./json.ts";
import type { Source } from "./source.ts";
import { parsed, type Text } from "./text.ts";

/**
 * Finds the line of the part at a pointer of the document, or of its enclosing part. If the document is the bundle of a
 * `spec/openapi` in the same tree, the line is in the spec, which people edit, and not in the bundle.
 */
export function placesIn({ file, texts, tree, project }: Source): (pointer: string) => Place {
  const known = new Map<string, Text | undefined>();
  const specFile = (name: string): string => path.posix.join(project, "spec/openapi", name);
  const read = (name: string): Text | undefined => {
    const content = known.has(name) ? undefined : tree.read(name);
    if (!known.has(name)) known.set(name, content === undefined ? undefined : parsed(name, content));
    return known.get(name);
  };
  const paths = member(read(specFile("root.yaml"))?.value, "paths");
  const inSpec = (pointer: string): Place | undefined => {
    const [first, second = "", third = ""] = stepsOf(pointer);
    const reference = first === "paths" ? member(member(paths, second), "$ref") : undefined;
    const behind = (steps: number): string => ["", ...pointer.split("/").slice(steps + 1)].join("/");
    const files: [name: string, pointer: string][] = [["root.yaml", pointer]];
    if (typeof reference === "string") files.unshift([reference, behind(2)]);
    else if (first === "components" && third !== "")
      files.unshift(
        second === "schemas" ? [`schemas/${third}.yaml`, behind(3)] : [`${second}.yaml`, behind(2)],
      );
    for (const [name, inner] of files) {
      const line = read(specFile(name))?.lineOf(inner);
      if (line !== undefined) return { file: tree.shown(specFile(name)), line };
    }
    return undefined;
  };
  return (pointer) => {
    const [other, inside] = splitLocation(pointer);
    if (other !== "") return { file: tree.shown(other), line: texts.get(other)?.lineOf(inside) ?? 1 };
    const spec = paths === undefined ? undefined : inSpec(pointer);
    return spec ?? { file: tree.shown(file), line: texts.get("")?.lineOf(pointer) ?? 1 };
  };
}
