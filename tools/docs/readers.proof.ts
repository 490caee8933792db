import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../conformance/run/demo/demo.ts";
import { installedNode, packed } from "../packed.fixture.ts";
import { repository } from "./pages.ts";

const home = mkdtempSync(path.join(tmpdir(), "capability-contract-reader-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a reader installs: the tarball of each package, by the name that the pages give it. */
let tarballs: Record<string, string>;
beforeAll(() => {
  const { judge, server } = packed(home);
  tarballs = { "capability-contract": judge, "capability-contract-server": server };
}, 900_000);

/** The environment without what npm tells of this clone, and without its programs. */
const surroundings = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:lifecycle|package|command|execpath|node)/.test(name),
  ),
);
const pathOf = ({ PATH = "" }: Record<string, string | undefined>): string =>
  PATH.split(path.delimiter)
    .filter((folder) => !folder.endsWith("node_modules/.bin"))
    .join(path.delimiter);

const blocksOf = (page: string, language: string): string[] =>
  [
    ...readFileSync(path.join(repository, "docs", page), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
  ].flatMap(([, of, commands = ""]) => (of === language ? [commands] : []));

/** The commands of a page, as a reader copies them one after another: the install, then the rest. */
function commandsOf(page: string): string {
  const install = blocksOf(page, "console").find((block) => block.startsWith("npm install --save-dev "));
  const named = (install ?? "npm install capability-contract\n").replaceAll(
    /(?<=\s)capability-contract\S*/g,
    (name) => `"${tarballs[name]!}"`,
  );
  return [named.replace("npm install", "npm install --no-audit --no-fund"), ...blocksOf(page, "sh")].join("");
}

describe.each(["22", "24"])("on Node %s, in an empty folder, with the packed packages", (version) => {
  let node: string;
  beforeAll(() => {
    node = installedNode(version, home);
  }, 300_000);

  test.each([
    ["implementers.md", /clauses shown to be kept/],
    ["ci.md", /clauses shown to be kept/],
    ["load-testers.md", /nothing failed: billing/],
    ["clients.md", /FLOW-15/],
    ["reconcile.md", /Nothing contradicts itself/],
  ])("the commands of %s do what the page says, as they are written", async (page, said) => {
    const folder = path.join(home, `${page}-${version}`);
    mkdirSync(folder);
    const { stdout } = await demo(({ base_url: SERVER }) =>
      promisify(execFile)("bash", ["-euc", commandsOf(page)], {
        cwd: folder,
        env: { ...surroundings, PATH: `${node}:${pathOf(surroundings)}`, SERVER },
        maxBuffer: 64 * 1024 * 1024,
      }),
    );
    expect(stdout).toMatch(said);
  });

  test("a whole run of a right server ends with 0", async () => {
    const folder = path.join(home, `whole-${version}`);
    mkdirSync(folder);
    const commands = `npm install --no-audit --no-fund "${tarballs["capability-contract"]!}"
      npx capability-contract init --base-url "$SERVER" --out profile.yaml
      npx capability-contract conformance --profile profile.yaml`;
    const { stdout } = await demo(({ base_url: SERVER }) =>
      promisify(execFile)("bash", ["-euc", commands], {
        cwd: folder,
        env: { ...surroundings, PATH: `${node}:${pathOf(surroundings)}`, SERVER },
        maxBuffer: 64 * 1024 * 1024,
      }),
    );
    expect(stdout).toMatch(/clauses shown to be kept/);
  });
});
