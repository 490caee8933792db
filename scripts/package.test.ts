import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "capability-contract-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

test("the packed package installs into an empty folder, compiles nothing, and its binary answers", () => {
  run("npm", ["pack", "--silent", "--pack-destination", folder], repository);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  );
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", `./${tarball}`], folder);

  const binary = join(folder, "node_modules/.bin/capability-contract");
  expect(run(process.execPath, [binary, "--help"], folder)).toContain("judges a server by the contract");
  expect(run(process.execPath, [binary, "conformance", "--help"], folder)).toContain("--base-url <URL>");

  const installed = readdirSync(join(folder, "node_modules"));
  for (const optional of ["sqlite3", "pg", "redis", "@aws-sdk", "vitest"])
    expect(installed).not.toContain(optional);

  const entry = run(
    process.execPath,
    ["--input-type=module", "-e", 'import { judge } from "capability-contract"; console.log(typeof judge);'],
    folder,
  );
  expect(entry.trim()).toBe("function");

  expect(run(process.execPath, [binary, "init", "--help"], folder)).toContain("--out <FILE>");

  // Packages that only the server needs are named in one sentence.
  expect(() => run(process.execPath, [binary, "start", "--port", "0"], folder)).toThrow(
    /npm install sqlite3/,
  );
}, 180_000);
