import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { suiteHash } from "../conformance/report/hashes.ts";
import { demo } from "../conformance/run/demo/demo.ts";

const repository = resolve(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "capability-contract-package-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The packages as tarballs. */
let judge: string;
let server: string;

beforeAll(() => {
  run("npm", ["run", "--silent", "pack", "--", "--silent", "--pack-destination", home], repository);
  const tarballs = readdirSync(home).filter((name) => name.endsWith(".tgz"));
  judge = join(
    home,
    tarballs.find((name) => /contract-\d/.test(name))!,
  );
  server = join(
    home,
    tarballs.find((name) => /contract-server-\d/.test(name))!,
  );
});

let count = 0;

/** A project of a user with the given dependencies, installed by one of the package managers. */
function project(dependencies: Record<string, string>, install: readonly string[]): string {
  const folder = mkdtempSync(join(home, `user-${(count += 1)}-`));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, dependencies }));
  run(install[0]!, install.slice(1), folder);
  return folder;
}

const npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];

/** Runs the program of a project. */
function program(
  folder: string,
  args: readonly string[],
  node = process.execPath,
  name = "capability-contract",
) {
  const binary = join(folder, `node_modules/${name}/dist/cli/cli.js`);
  const { status, stdout, stderr } = spawnSync(node, [binary, ...args], { cwd: folder, encoding: "utf8" });
  return { status, said: `${stdout}${stderr}` };
}

test("judging alone takes few packages, none of the server's, and every verb says what it does or needs", () => {
  const folder = project({ "capability-contract": `file:${judge}` }, [...npm, "--omit=optional"]);
  const lock = readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8");
  const installed = Object.keys((JSON.parse(lock) as { packages: object }).packages);
  expect(installed.length, "packages").toBeLessThanOrEqual(60);
  for (const serving of ["sqlite3", "knex", "express", "pg", "redis", "@aws-sdk", "autocannon", "vitest"])
    expect(installed).not.toContain(`node_modules/${serving}`);
  expect(mebibytesOf(join(folder, "node_modules")), "MiB").toBeLessThanOrEqual(25);

  expect(program(folder, ["--version"]).said).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(program(folder, ["confromance"])).toMatchObject({
    status: 2,
    said: expect.stringContaining('Did you mean "conformance"?'),
  });
  for (const verb of ["conformance", "judge", "drift", "explain", "compare", "init", "proxy"])
    expect(program(folder, [verb, "--help"]), verb).toMatchObject({ status: 0 });
  for (const verb of ["start", "admin", "mutants", "conformance"])
    expect(program(folder, [verb]), verb).toMatchObject({
      status: 2,
      said: expect.stringContaining("npm install capability-contract-server"),
    });
  expect(program(folder, ["load", "throughput"])).toMatchObject({
    status: 2,
    said: expect.stringMatching(/not installed: npm install [a-z-]+/),
  });
});

test.each([
  ["pnpm", ["npx", "--yes", "pnpm@10", "install", "--silent", "--ignore-scripts"]],
  ["yarn", ["npx", "--yes", "yarn@1", "install", "--silent", "--ignore-scripts", "--no-lockfile"]],
])("%s installs the judge, and its verbs run", (_, install) => {
  const folder = project({ "capability-contract": `file:${judge}` }, install);
  expect(program(folder, ["explain", "DISC-01"])).toMatchObject({ status: 0 });
  expect(program(folder, ["conformance", "--base-url", "http://127.0.0.1:9/api/v1"])).toMatchObject({
    status: 3,
  });
  expect(program(folder, ["load", "throughput", "--base-url", "http://127.0.0.1:9/api/v1"])).toMatchObject({
    status: 3,
  });
});

test("the judge stands beside other versions of what the server uses, for modules and for CommonJS", () => {
  const others = { express: "4", redis: "5", pino: "9", vitest: "3", ajv: "6" };
  const folder = project({ ...others, "capability-contract": `file:${judge}` }, npm);
  const typed = "console.log(typeof judge, typeof readProfile)";
  const said = (type: string, load: string): string =>
    run(process.execPath, [`--input-type=${type}`, "-e", `${load}; ${typed}`], folder).trim();
  expect(said("module", 'import { judge, readProfile } from "capability-contract"')).toBe(
    "function function",
  );
  expect(said("commonjs", 'const { judge, readProfile } = require("capability-contract")')).toBe(
    "function function",
  );
});

test("the judge's package judges on the oldest Node that is supported, and has the hash of its clone", async () => {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = project({ "capability-contract": `file:${judge}`, [name]: "22" }, npm);
  const node = join(folder, "node_modules", name, "bin/node");
  expect(run(node, ["--version"], folder)).toMatch(/^v22\./);
  const flags = ["conformance", "--only", "DISC", "--fast", "--html", "report.html", "--json", "report.json"];
  const { said } = await demo(({ base_url: url }) =>
    Promise.resolve(program(folder, [...flags, "--base-url", url], node)),
  );
  expect(said).toMatch(/✓ +\d+ passed/);
  const { hashes } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as { hashes: object };
  expect(hashes).toMatchObject({ suite: suiteHash() });

  // The report leads to the page of a clause in the installed package, and the package prints it.
  const report = readFileSync(join(folder, "report.html"), "utf8");
  const [, address] = /href="(file:[^"]+DISC-01\.html)"/.exec(report)!;
  expect(readFileSync(fileURLToPath(address!), "utf8")).toContain("What judges it");
  expect(program(folder, ["explain", "DISC-01"], node).said).toContain("What judges it");
});

test("beside the server's package, the judge's verbs run the reference server", () => {
  const scripts = npm.filter((one) => one !== "--ignore-scripts");
  const both = { "capability-contract": `file:${judge}`, "capability-contract-server": `file:${server}` };
  const folder = project(both, scripts);
  expect(program(folder, ["conformance", "--only", "DISC-01"])).toMatchObject({ status: 0 });
  expect(program(folder, ["start", "--help"])).toMatchObject({ status: 0 });
  expect(program(folder, ["mutants", "--only", "CALL-07"])).toMatchObject({ status: 0 });
  expect(program(folder, ["load", "--help"])).toMatchObject({ status: 0 });
});

function mebibytesOf(tree: string): number {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return bytes / 2 ** 20;
}
