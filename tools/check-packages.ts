import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const repository = path.resolve(import.meta.dirname, "..");

/** Files that no import names: the suite finds them by their name. */
const found = "conformance/suite/**/{checks,rules,*.checks,*.crossing,*.client}.ts";

/**
 * The packages, without the entry that the caller's vitest loads. As a peer of the package, vitest would come with the
 * action's install. Each has its manifest, the files with which a program begins, and the room that it leaves out.
 */
const packages = [
  {
    folder: "conformance",
    begin: ["cli/cli.ts", "cli/index.ts", "load/engine/index.ts"],
    without: "reference-server/",
  },
  { folder: "reference-server", begin: ["cli/cli.ts"], without: undefined },
] as const;

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** The modules that a file imports, wherever in it. */
const importsOf = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(path.join(repository, file), "utf8"))
    .importedFiles.map(({ fileName }) => fileName);

/** The imports of packages that a program can come to from its first files: file and package. */
export function importsFrom(
  begin: readonly string[],
  without?: string,
  importsIn = importsOf,
): [file: string, name: string][] {
  const reached = new Set(begin);
  const strange: [string, string][] = [];
  for (const file of reached)
    for (const name of importsIn(file)) {
      const target = path.posix.join(path.posix.dirname(file), name);
      if (!name.startsWith(".")) strange.push([file, name]);
      else if (target.endsWith(".ts") && !(without && target.startsWith(without))) reached.add(target);
    }
  return strange
    .filter(([, name]) => !name.startsWith("node:"))
    .map(([file, name]) => [file, /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]]);
}

/** What the packages import and do not name as a dependency: it is there in a clone, and nowhere else. */
export function undeclaredImports(): string[] {
  const named = globSync(found, { cwd: repository });
  return packages.flatMap(({ folder, begin, without }) => {
    const manifest = JSON.parse(
      readFileSync(path.join(repository, folder, "package.json"), "utf8"),
    ) as Manifest;
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    return importsFrom([...begin, ...named], without)
      .filter(([, name]) => !Object.hasOwn(declared, name))
      .map(
        ([file, name]) =>
          `${file} imports ${name}, which ${folder}/package.json does not name as a dependency.`,
      );
  });
}
