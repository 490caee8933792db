import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const repository = path.resolve(import.meta.dirname, "..");

/** Where `npm run new` writes. */
const written = [
  "spec/**/*.{md,yaml}",
  "conformance/proof/*/dispositions.yaml",
  "{conformance,reference-server,base}/**/*.ts",
];
const otherFolders = ["node_modules", "dist", "data"];

/** The places that `npm run new` left to fill in: what it writes passes for nothing until somebody has. */
export function leftToFillIn(root = repository): string[] {
  const files = globSync(written, {
    cwd: root,
    exclude: (file) => otherFolders.includes(path.basename(file)),
  });
  return files.toSorted().flatMap((file) =>
    readFileSync(path.join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        /\bTODO\b/.test(line) ? [`${file}:${index + 1} is not filled in: replace ${line.trim()}`] : [],
      ),
  );
}
