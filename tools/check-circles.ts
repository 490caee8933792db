import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const repository = path.resolve(import.meta.dirname, "..");

/** One file of the accepted circle: docs/ARCHITECTURE.md. */
const allowed = ["generated/clauses.ts"];

/** The files of the repository that each file of production code imports, types included. */
export function importsByFile(): Map<string, string[]> {
  const listed = execFileSync("git", ["ls-files", "*.ts"], { cwd: repository, encoding: "utf8" }).split("\n");
  const files = listed.filter((file) => file !== "" && !/\.(?:test|proof|fixture)\.ts$/.test(file));
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(path.join(repository, file), "utf8"));
      const near = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith("."));
      return [file, near.map((name) => path.posix.join(path.posix.dirname(file), name))];
    }),
  );
}

/** Groups of files that all lead to each other, a line each: Tarjan's strongly connected components. */
export function circles(imports: ReadonlyMap<string, readonly string[]> = importsByFile()): string[] {
  const [order, lowest, path] = [new Map<string, number>(), new Map<string, number>(), [] as string[]];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) === order.get(file)) circles.push(path.splice(path.indexOf(file)));
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles
    .filter((group) => group.length > 1 && !group.some((file) => allowed.includes(file)))
    .map((group) => `${group.toSorted().join(", ")} import each other`);
}
