import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kept } from "../../base/data.ts";
import { demo } from "../../conformance/run/demo/demo.ts";
import { installedNode, packed } from "../packed.fixture.ts";
import { repository } from "./pages.ts";

const minutes = 60_000;
/** A busy machine takes 25 minutes to compile sqlite3. */
const patience = 60 * minutes;
const versions = ["22", "24"];
/** The folder of each version's program. */
const programs: Record<string, string> = {};

const home = mkdtempSync(path.join(tmpdir(), "capability-contract-reader-"));
afterAll(() => rmSync(home, { recursive: true, force: true }), 15 * minutes);

/** What a reader installs: the tarball of each package, by the name that the pages give it. */
let tarballs: Record<string, string>;
beforeAll(() => {
  const { judge, server } = packed(home);
  tarballs = { "capability-contract": judge, "capability-contract-server": server };
  // Where sqlite3 has to be compiled, that takes longer than all pages together: it begins for every version at once.
  for (const version of versions) {
    programs[version] = installedNode(version, home);
    installedBy(version, installOf("clients.md")).catch(() => undefined);
  }
}, 20 * minutes);

const blocksOf = (page: string, language: string): string[] =>
  [
    ...readFileSync(path.join(repository, "docs", page), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
  ].flatMap(([, of, commands = ""]) => (of === language ? [commands] : []));

/** The command by which the reader of a page installs what it needs. */
const installOf = (page: string): string =>
  blocksOf(page, "console").find((block) => block.startsWith("npm install --save-dev ")) ??
  "npm install --save-dev capability-contract\n";

const wholeRun = `npx capability-contract init --base-url "$SERVER" --out profile.yaml
npx capability-contract conformance --profile profile.yaml
`;

describe.each(versions)("on Node %s, in an empty folder, with the packed packages", (version) => {
  // Nearly all of their time they wait for windows of rate limits and for audits.
  test.concurrent.each([
    ["implementers.md", /clauses shown to be kept/],
    ["ci.md", /clauses shown to be kept/],
    ["load-testers.md", /nothing failed: billing/],
    ["clients.md", /FLOW-15/],
    ["reconcile.md", /Nothing contradicts itself/],
  ])(
    "the commands of %s do what the page says, as they are written",
    async (page, said) => {
      expect(await readersRun(page, installOf(page), blocksOf(page, "sh").join(""))).toMatch(said);
    },
    patience,
  );

  test.concurrent(
    "a whole run of a right server ends with 0",
    async () => {
      const said = await readersRun("whole", installOf("implementers.md"), wholeRun);
      expect(said).toMatch(/clauses shown to be kept/);
    },
    patience,
  );

  /** Runs commands in a folder that holds what an install brought, and nothing else. @returns what they print */
  async function readersRun(name: string, install: string, commands: string): Promise<string> {
    const folder = path.join(home, `${name}-${version}`);
    cpSync(await installedBy(version, install), folder, { recursive: true, verbatimSymlinks: true });
    return demo(({ base_url: SERVER }) => commanded(version, commands, folder, { SERVER }));
  }
});

/** Folders with what an install command brings: a page that installs the same starts with a copy. */
const installed = new Map<string, Promise<string>>();

function installedBy(version: string, command: string): Promise<string> {
  return kept(installed, `${version} ${command}`, async () => {
    const folder = path.join(home, `installed-${version}-${installed.size}`);
    mkdirSync(folder);
    const named = command.replaceAll(/(?<=\s)capability-contract\S*/g, (name) => `"${tarballs[name]!}"`);
    await commanded(version, named.replace("npm install", "npm install --no-audit --no-fund"), folder, {});
    return folder;
  });
}

/** Runs commands in a folder with a version of Node, and tells on the way which one runs. @returns what they print */
async function commanded(
  version: string,
  commands: string,
  folder: string,
  variables: Record<string, string>,
): Promise<string> {
  const name = path.basename(folder);
  const shell = spawn("bash", ["-xeuc", commands], {
    cwd: folder,
    env: {
      ...surroundings,
      ...variables,
      PATH: `${programs[version]!}:${pathOf(surroundings)}`,
      PS4: "+$SECONDS s: ",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const complaints: string[] = [];
  createInterface(shell.stderr).on("line", (line) => {
    complaints.push(line);
    // Vitest would keep what a test logs until the test has ended.
    if (/^\++\d+ s: (?:npm|npx|\S*capability-contract) /.test(line))
      process.stderr.write(`${name} ${line}\n`);
  });
  const [stdout, [status]] = await Promise.all([
    text(shell.stdout),
    once(shell, "close") as Promise<[number | null]>,
  ]);
  if (status !== 0) throw new Error(`${name}: status ${status}\n${stdout}${complaints.join("\n")}`);
  return stdout;
}

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
