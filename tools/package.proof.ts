import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import net, { type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { suiteHash } from "../conformance/report/hashes.ts";
import { demo } from "../conformance/run/demo/demo.ts";
import { packed, run } from "./packed.fixture.ts";

const repository = resolve(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "capability-contract-package-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The packages as tarballs. */
let judge: string;
let server: string;

beforeAll(() => {
  ({ judge, server } = packed(home));
}, 900_000);

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

test("the judge needs few packages, none of the server's, and every verb says what it does or needs", () => {
  const folder = project({ "capability-contract": `file:${judge}` }, [...npm, "--omit=optional"]);
  const lock = readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8");
  const installed = Object.keys((JSON.parse(lock) as { packages: object }).packages);
  expect(installed.length, "packages").toBeLessThanOrEqual(60);
  for (const serving of ["sqlite3", "knex", "express", "pg", "@redis", "@aws-sdk", "autocannon", "vitest"])
    expect(installed).not.toContain(`node_modules/${serving}`);
  expect(mebibytesOf(join(folder, "node_modules")), "MiB").toBeLessThanOrEqual(25);

  const shown = program(folder, ["demo"]);
  expect(shown.status, shown.said).toBe(0);
  expect(shown.said.match(/^[A-Z]+-\d+ (?:must|should): /gm)).toHaveLength(3);
  expect(readFileSync(join(folder, "demo.html"), "utf8")).toContain("CALL-03");

  expect(program(folder, ["--version"]).said).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(program(folder, ["confromance"])).toMatchObject({
    status: 2,
    said: expect.stringContaining('Did you mean "conformance"?'),
  });
  expect(program(folder, ["load", "throughput"])).toMatchObject({
    status: 2,
    said: expect.stringMatching(/not installed: npm install [a-z-]+/),
  });
});

/** The verbs that run the reference server, and those that judge without it. */
const serving = ["conformance", "start", "admin", "certify"];
const judging = ["explain", "init", "compare", "load", "drift", "judge", "proxy", "reconcile"];

test.each(["22", "24"])("on Node %s, every verb without flags says what it needs", (version) => {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = project({ "capability-contract": `file:${judge}`, [name]: version }, npm);
  const node = join(folder, "node_modules", name, "bin/node");
  expect(run(node, ["--version"], folder)).toMatch(new RegExp(`^v${version}\\.`));
  const help = program(folder, ["--help"], node).said;
  const listed = [...help.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, verb]) => verb);
  expect(listed.toSorted()).toEqual(["demo", ...serving, ...judging].toSorted());
  for (const verb of judging) {
    expect(program(folder, [verb], node), verb).toMatchObject({
      status: 2,
      said: expect.not.stringMatching(/npm install|Cannot find/),
    });
    expect(program(folder, [verb, "--help"], node), verb).toMatchObject({ status: 0 });
  }
  for (const verb of serving.slice(1))
    expect(program(folder, [verb, "--help"], node), verb).toMatchObject({
      status: 0,
      said: expect.stringContaining("npm install capability-contract-server"),
    });
  for (const verb of serving)
    expect(program(folder, verb === "certify" ? [verb, "--", "true"] : [verb], node), verb).toMatchObject({
      status: 2,
      said: expect.stringContaining("npm install capability-contract-server"),
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

test("the judge works next to other versions of the server's packages, for modules and for CommonJS", () => {
  const others = { express: "4", redis: "5", pino: "9", sqlite3: "5", undici: "8", vitest: "3", ajv: "6" };
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

test("the checks become tests in a newer vitest than ours", async () => {
  const folder = project({ vitest: "5", "capability-contract": `file:${judge}` }, npm);
  const { status, stdout } = await demo(({ base_url: url }) => {
    const [at, only] = [JSON.stringify(url), '{ only: ["DISC-01"] }'];
    writeFileSync(
      join(folder, "contract.test.js"),
      `import { conformanceTests } from "capability-contract/vitest";\nconformanceTests(${at}, ${only});\n`,
    );
    const vitest = join(folder, "node_modules/vitest/vitest.mjs");
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "" };
    const options = { cwd: folder, encoding: "utf8", env } as const;
    return Promise.resolve(spawnSync(process.execPath, [vitest, "run"], options));
  });
  expect(stdout).toMatch(/Tests +\d+ passed/);
  expect(status).toBe(0);
});

/** The judge as an earlier version would be: it lacks the rules of Discover. */
function earlierJudge(): string {
  const folder = mkdtempSync(join(home, "earlier-"));
  run("tar", ["xzf", judge, "-C", folder], home);
  const suite = join(folder, "package/dist/conformance");
  rmSync(join(suite, "suite/discover/rules.js"));
  writeFileSync(join(suite, "report/suite-hash.json"), JSON.stringify("0".repeat(64)));
  const tarball = `${folder}.tgz`;
  run("tar", ["czf", tarball, "-C", folder, "package"], home);
  return tarball;
}

test("for one recording and for one run, compare shows what another version of the suite changed", async () => {
  const folder = project(
    { "suite-before": `file:${earlierJudge()}`, "capability-contract": `file:${judge}` },
    npm,
  );
  const before = (...args: string[]) => program(folder, args, process.execPath, "suite-before");
  const now = (...args: string[]) => program(folder, args);
  const recording = join(repository, "conformance/traffic/dialects/chrome.har");
  before("judge", recording, "--json", "before.json");
  now("judge", recording, "--json", "after.json");
  expect(now("compare", "before.json", "after.json")).toMatchObject({
    status: 0,
    said: expect.stringMatching(/^Added: \d+, by the suite\n\n {2}DISC-/m),
  });
  await demo(({ base_url: url }) => {
    const flags = ["--base-url", url, "--only", "DISC", "--fast", "--trace", "all", "--json", "run.json"];
    return Promise.resolve(before("conformance", ...flags));
  });
  now("conformance", "--judge-again", "run.json.gz", "--json", "again.json");
  expect(now("compare", "run.json.gz", "again.json").said).toMatch(/^Added: \d+, by the suite$/m);
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
  expect(readFileSync(fileURLToPath(address!), "utf8")).toContain("Its checks");
  expect(program(folder, ["explain", "DISC-01"], node).said).toContain("Its checks");
});

/** A project that has both packages. */
let withBoth: string;

test("with the server's package installed, the judge's verbs run the reference server", () => {
  const scripts = npm.filter((flag) => flag !== "--ignore-scripts");
  const both = { "capability-contract": `file:${judge}`, "capability-contract-server": `file:${server}` };
  const folder = (withBoth = project(both, scripts));
  expect(program(folder, ["conformance", "--only", "DISC-01"])).toMatchObject({ status: 0 });
  expect(program(folder, ["start", "--help"])).toMatchObject({ status: 0 });
  expect(program(folder, ["load", "--help"])).toMatchObject({ status: 0 });
  expect(program(folder, ["certify", "--", "no-such-command"])).toMatchObject({ status: 2 });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
  "no process of a client is left behind when %s ends certify, as it is installed",
  async (signal) => {
    const server = net.createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { port } = server.address() as AddressInfo;
      const client = `"${process.execPath}" -e 'require("node:net").connect(${port}, "127.0.0.1")'`;
      const binary = join(withBoth, "node_modules/capability-contract/dist/cli/cli.js");
      const args = [binary, "certify", "--", "sh", "-c", `trap "" INT TERM HUP; ${client} & wait`];
      const certify = spawn(process.execPath, args, { cwd: withBoth, stdio: "ignore" });
      const [socket] = (await once(server, "connection")) as [Socket];
      socket.on("error", () => undefined);
      certify.kill(signal);
      await Promise.all([once(certify, "exit"), once(socket, "close")]);
    } finally {
      server.close();
    }
  },
);

function mebibytesOf(tree: string): number {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return bytes / 2 ** 20;
}
