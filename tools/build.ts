import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suiteHash } from "../conformance/report/hashes.ts";
import { writeSite } from "./docs/site.ts";

/**
 * Builds the two packages, each with JavaScript, types, and the files that the code reads: the judge, in
 * conformance/dist, and the judge with the server, in reference-server/dist.
 */
const repository = resolve(import.meta.dirname, "..");
const judge = join(repository, "conformance/dist");
const server = join(repository, "reference-server/dist");

/** Files that the code reads at run time. */
const assets = [
  "generated/openapi.json",
  "generated/openapi.yaml",
  "generated/schemas",
  "generated/released",
  "spec/contract.md",
  ...globSync("conformance/proof/**/*.{yaml,json,txt}", { cwd: repository }),
  "reference-server/catalog/sample",
  "reference-server/pages/pages.css",
  "reference-server/pages/reference.css",
  "reference-server/pages/reference-start.js",
  "conformance/report/report.css",
];

for (const dist of [judge, server]) rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(repository, "node_modules/typescript/bin/tsc"), "-p", "tools/tsconfig.build.json"],
  { cwd: repository, stdio: "inherit" },
);
for (const asset of assets) cpSync(join(repository, asset), join(server, asset), { recursive: true });
for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "LICENSE", "NOTICE"])
  cpSync(
    join(repository, "node_modules/swagger-ui-dist", name),
    join(server, "reference-server/pages/swagger-ui", name),
  );
rewriteImports(server);
writeFileSync(join(server, "conformance/report/suite-hash.json"), JSON.stringify(suiteHash()));

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8")) as Manifest;
interface Manifest {
  name: string;
  version: string;
  type: string;
  exports: Record<string, { types?: string }>;
}
for (const [dist, folder] of [
  [judge, "conformance"],
  [server, "reference-server"],
] as const) {
  const { name, version, type, exports } = manifestOf(folder);
  if (dist === judge)
    cpSync(server, judge, {
      recursive: true,
      filter: (from) => !from.startsWith(join(server, "reference-server")),
    });
  writeFileSync(join(dist, "package.json"), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
  chmodSync(join(dist, "cli/cli.js"), 0o755);
  removeIdleTypes(dist, exports);
}
await writeSite(join(judge, "docs"));

/** Removes the declarations to which no entry of a package leads. */
function removeIdleTypes(dist: string, entries: Manifest["exports"]): void {
  const used = new Set(
    Object.values(entries).flatMap(({ types }) => (types === undefined ? [] : join(dirname(dist), types))),
  );
  for (const file of used)
    for (const [, name] of readFileSync(file, "utf8").matchAll(/"(\.[^"]+)\.[jt]s"/g))
      used.add(join(dirname(file), `${name}.d.ts`));
  for (const name of globSync("**/*.d.ts", { cwd: dist }))
    if (!used.has(join(dist, name))) rmSync(join(dist, name));
}

/** The compiler leaves some dynamic imports as they are written, which would fail only when reached. */
function rewriteImports(folder: string): void {
  for (const name of globSync("**/*.js", { cwd: folder })) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    const rewritten = text.replaceAll(/(?<=\bimport\("\.[^"]*\.)ts(?="\))/g, "js");
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}
