import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { demo } from "../conformance/run/demo/demo.ts";

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
  for (const optional of ["sqlite3", "knex", "express", "pg", "redis", "@aws-sdk", "vitest"])
    expect(installed).not.toContain(optional);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { packages: object };
  expect(Object.keys(lock.packages).length - 1, "packages").toBeLessThanOrEqual(100);
  expect(mebibytesOf(join(folder, "node_modules")), "MiB").toBeLessThanOrEqual(30);

  const entry = run(
    process.execPath,
    ["--input-type=module", "-e", 'import { judge } from "capability-contract"; console.log(typeof judge);'],
    folder,
  );
  expect(entry.trim()).toBe("function");

  expect(run(process.execPath, [binary, "init", "--help"], folder)).toContain("--out <FILE>");

  // Packages that only the server needs are named in one sentence.
  expect(() => run(process.execPath, [binary, "start", "--port", "0"], folder)).toThrow(
    /This needs packages that judging does without: npm install .*"express@.*"sqlite3@/,
  );
});

test("the packed package judges on the oldest Node that is supported", async () => {
  const name = `node-${process.platform}-${process.arch}`;
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@22`], folder);
  const node = join(folder, "node_modules", name, "bin/node");
  expect(run(node, ["--version"], folder)).toMatch(/^v22\./);
  const binary = join(folder, "node_modules/capability-contract/dist/cli/cli.js");
  const judge = ["conformance", "--only", "DISC", "--fast", "--html", "report.html", "--base-url"];
  const { stdout } = await demo(({ base_url: url }) =>
    promisify(execFile)(node, [binary, ...judge, url], { cwd: folder }),
  );
  expect(stdout).toMatch(/✓ +\d+ passed/);

  // The report leads to the page of a clause in the installed package, and the package prints it.
  const report = readFileSync(join(folder, "report.html"), "utf8");
  const [, address] = /href="(file:[^"]+DISC-01\.html)"/.exec(report)!;
  expect(readFileSync(fileURLToPath(address!), "utf8")).toContain("What judges it");
  expect(run(node, [binary, "explain", "DISC-01"], folder)).toContain("What judges it");
});

function mebibytesOf(tree: string): number {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return bytes / 2 ** 20;
}
