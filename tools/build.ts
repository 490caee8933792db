import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeSite } from "./docs/site.ts";

/** Builds the publishable package in dist/: JavaScript, types, and the files that the code reads. */
const repository = resolve(import.meta.dirname, "..");
const dist = join(repository, "dist");

/** Files that the code reads at run time. */
const assets = [
  "generated/openapi.json",
  "generated/openapi.yaml",
  "generated/schemas",
  "generated/released",
  "spec/contract.md",
  "conformance/drift/catalogue.yaml",
  "reference-server/catalog/sample",
  "reference-server/pages/pages.css",
];

rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(repository, "node_modules/typescript/bin/tsc"), "-p", "tools/tsconfig.build.json"],
  {
    cwd: repository,
    stdio: "inherit",
  },
);
for (const asset of assets) cpSync(join(repository, asset), join(dist, asset), { recursive: true });
const { name, version, type, peerDependencies } = JSON.parse(
  readFileSync(join(repository, "package.json"), "utf8"),
) as Record<string, unknown>;
writeFileSync(
  join(dist, "package.json"),
  `${JSON.stringify({ name, version, type, peerDependencies }, null, 2)}\n`,
);
await writeSite(join(dist, "docs"));
chmodSync(join(dist, "cli/cli.js"), 0o755);
