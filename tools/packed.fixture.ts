import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "..");

/** Runs a command to its end. */
export const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Builds the two packages as tarballs in a folder. */
export function packed(home: string): { judge: string; server: string } {
  run("npm", ["run", "--silent", "pack", "--", "--silent", "--pack-destination", home], repository);
  const tarballs = readdirSync(home).filter((name) => name.endsWith(".tgz"));
  const named = (pattern: RegExp): string =>
    join(
      home,
      tarballs.find((name) => pattern.test(name))!,
    );
  return { judge: named(/contract-\d/), server: named(/contract-server-\d/) };
}

/** Installs a version of Node below a folder. @returns the folder of its program */
export function installedNode(version: string, home: string): string {
  const folder = join(home, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  run(
    "npm",
    ["install", "--prefix", folder, "--silent", "--no-audit", "--no-fund", `node@${version}`],
    folder,
  );
  return join(folder, "node_modules/node/bin");
}
