import path from "node:path";
import type { YamlFile } from "../../base/yaml/file.ts";
import type { Place } from "./change.ts";
import { splitLocation } from "./document.ts";
import { kept, member, stepsOf } from "../../base/data.ts";
import { parsedIn, type Source } from "./source.ts";

/**
 * Finds the line of the part at a pointer of the document, or of its enclosing part. If the document is the bundle of a
 * `spec/openapi` in the same tree, the line is in the spec, which people edit, and not in the bundle.
 */
export function placesIn({ texts, tree, project }: Source): (pointer: string) => Place {
  const known = new Map<string, YamlFile | undefined>();
  const read = (name: string): YamlFile | undefined =>
    kept(known, name, () => parsedIn(tree, path.posix.join(project, "spec/openapi", name)));
  const root = read("root.yaml");
  const paths = member(root?.value, "paths");
  /** The file of the spec with a part of the bundle, and the steps to it there. */
  const inSpec = (steps: string[]): [file: string, steps: string[]] => {
    const [first, second = "", third = ""] = steps;
    const reference = first === "paths" ? member(member(paths, second), "$ref") : undefined;
    if (typeof reference === "string") return [reference, steps.slice(2)];
    if (first !== "components" || third === "") return ["root.yaml", steps];
    return second === "schemas"
      ? [`schemas/${third}.yaml`, steps.slice(3)]
      : [`${second}.yaml`, steps.slice(2)];
  };
  return (location) => {
    const [name, pointer] = splitLocation(location);
    const steps = stepsOf(pointer);
    let [file, inner] = [texts.get(name)!, steps];
    if (name === "" && root !== undefined && paths !== undefined) {
      const [part, below] = inSpec(steps);
      const found = read(part);
      [file, inner] = found === undefined ? [root, steps] : [found, below];
    }
    return { file: file.name, line: file.lineOf(inner) };
  };
}
