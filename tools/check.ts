import { execFile, execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { checks } from "../conformance/suite/checks.ts";
import { driftReleased } from "../conformance/drift/contract/releases.ts";
import { readSource } from "../conformance/drift/source.ts";
import { rules } from "../conformance/suite/rules.ts";
import { clientRules, crossingRules } from "../conformance/suite/crossing.ts";
import { problemsOf, releaseProblems, type ReleasedClause, uncitedOf } from "./check-clauses.ts";
import { newestFact, releasedVersions, releaseFile } from "../base/pinned.ts";
import { clauses } from "../generated/clauses.ts";
import { brokenLock } from "../conformance/proof/lock.ts";
import { staleFigure } from "../conformance/proof/page.ts";
import { disagreements, placesToDecide } from "./check-agreement.ts";
import { roomsWithoutFloor, upwardArrows } from "./check-arrows.ts";
import { circles } from "./check-circles.ts";
import { checkCopies } from "./check-copies.ts";
import { changedFacts, factsNote, statusesOf } from "./check-facts.ts";
import { leftToFillIn } from "./check-filled-in.ts";
import { sizesNote } from "./check-sizes.ts";
import { habitsOfFiles } from "./check-style.ts";
import { readExamples, staleExamples } from "./docs/examples.ts";
import { lintDocument, type OpenApiDocument } from "./bundle.ts";
import { fieldsWithoutClause } from "./contract/answers.ts";
import { generate, readSpec, readWritten, staleFiles } from "./generate.ts";

const repository = path.resolve(import.meta.dirname, "..");
const tools = path.join(repository, "node_modules/.bin");

/** One step of `npm run check`. */
interface Step {
  name: string;
  /** Resolves to the problems, as readable lines. */
  run: () => Promise<string[]>;
}

/** Makes the tools run on the pinned Node. */
const environment = {
  ...process.env,
  PATH: `${tools}${path.delimiter}${process.env["PATH"] ?? ""}`,
  NO_COLOR: "1",
};

/** Runs a tool of node_modules/.bin. Resolves to its exit status and combined output. */
function runTool(tool: string, args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((done) => {
    const options = { cwd: repository, env: environment, maxBuffer: 64 * 1024 * 1024 };
    execFile(path.join(tools, tool), args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      done({
        status,
        output: `${stdout}${stderr}${status !== 0 && !stdout && !stderr ? error?.message : ""}`,
      });
    });
  });
}

const nonBlankLines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** A step that passes if the tool exits with 0. */
const tool = (name: string, command: string, args: string[]): Step => ({
  name,
  run: async () => {
    const { status, output } = await runTool(command, args);
    return status === 0 ? [] : nonBlankLines(output);
  },
});

/** The files that differ from trunk, where there is one, or from the last commit; also those that are not committed. */
function changedFiles(): string[] {
  const git = (...args: string[]): string[] =>
    nonBlankLines(
      execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
  const base = ((): string => {
    try {
      return git("merge-base", "HEAD", "origin/HEAD")[0]!;
    } catch {
      return "HEAD";
    }
  })();
  return [
    ...git("diff", "--name-only", "--diff-filter=d", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
}

/** The clauses that a check or a rule judges. */
const cited = new Set<string>(
  [...checks, ...rules, ...crossingRules, ...clientRules].flatMap(({ clauses }) => clauses),
);

/** A check or rule must judge every clause that can be observed from outside. */
async function checkCitations(): Promise<string[]> {
  const gaps = uncitedOf((await readWritten()).areas, cited);
  return gaps.length === 0
    ? []
    : [`${gaps.length} clauses can be seen and nothing judges them (${cited.size} are cited):`, ...gaps];
}

/** A released clause keeps its obligation. */
async function checkReleasedClauses(): Promise<string[]> {
  const { areas } = await readWritten();
  const problems = await Promise.all(
    releasedVersions().map(async (version) => {
      const text = await readFile(releaseFile(version, "clauses.json"), "utf8").catch(() => undefined);
      return text === undefined ? [] : releaseProblems(areas, version, JSON.parse(text) as ReleasedClause[]);
    }),
  );
  return problems.flat();
}

/** The README's figures must be those of the stored results, and the results must cover everything to prove. */
const checkFigure = (): Promise<string[]> => staleFigure();

/** Every clause that has a mutant shows an example of the current suite. */
const checkExamples = async (): Promise<string[]> =>
  staleExamples(await readExamples()).map((id) => `${id} has no fresh example: run npm run examples.`);

/** The files of the packages: their build compiles every file that an import leads to. */
async function checkBuilt(): Promise<string[]> {
  const { output } = await runTool("tsc", ["-p", "tools/tsconfig.build.json", "--listFilesOnly"]);
  const strangers = output.split("\n").filter((file) => /\/tools\/|\.(?:test|proof|fixture)\.ts$/.test(file));
  return strangers.map((file) => `${path.relative(repository, file)} would be part of a package.`);
}

const { values: flags } = parseArgs({ options: { fast: { type: "boolean", default: false } } });

/** In a fast check, the files that differ from trunk. */
const changed = flags.fast ? changedFiles() : undefined;

/** A step of a tool that judges files one by one: all of them, or those that have changed. */
const eachFile = (name: string, command: string, args: string[], endings: RegExp): Step => {
  const files = changed?.filter((file) => endings.test(file)) ?? ["."];
  return files.length === 0
    ? { name, run: () => Promise.resolve([]) }
    : tool(name, command, [...args, ...files]);
};

const steps: Step[] = [
  eachFile("format", "prettier", ["--check", "--log-level", "warn", "--ignore-unknown"], /./),
  eachFile(
    "lint",
    "eslint",
    ["--config", "tools/eslint.config.js", "--max-warnings", "0", "--no-warn-ignored"],
    /\.(?:ts|js)$/,
  ),
  // Incremental, by tsconfig.json: `tsc` by hand has compiled most of it.
  tool("types", "tsc", ["--noEmit", "--pretty", "false"]),
  ...(flags.fast ? [] : [{ name: "files of the packages", run: checkBuilt }]),
  { name: "spec lint (Redocly)", run: () => lintDocument(path.join(repository, "generated/openapi.yaml")) },
  {
    name: "spec valid (Swagger Parser)",
    run: async () => {
      await SwaggerParser.validate(path.join(repository, "generated/openapi.json"));
      return [];
    },
  },
  {
    name: "generated files",
    run: async () =>
      (await staleFiles(await generate({ ofReports: !flags.fast }))).map(
        (file) => `${file} differs from spec/: run npm run generate.`,
      ),
  },
  {
    name: "released document",
    run: async () =>
      driftReleased(await readSource("generated/openapi.json")).map(
        ({ where, old, new: now }) =>
          `${where}: ${old} is now ${now}. Raise info.version in spec/openapi/root.yaml, or undo the change.`,
      ),
  },
  { name: "figure of the README", run: checkFigure },
  { name: "lock of the suite", run: () => Promise.resolve(brokenLock()) },
  { name: "examples of clauses", run: checkExamples },
  { name: "left to fill in", run: () => Promise.resolve(leftToFillIn()) },
  { name: "style", run: () => Promise.resolve(habitsOfFiles(changed)) },
  { name: "circles of files", run: () => Promise.resolve(circles()) },
  { name: "arrows that run up", run: () => Promise.resolve([...upwardArrows(), ...roomsWithoutFloor()]) },
  { name: "second copies", run: async () => checkCopies(await readSpec()) },
  {
    name: "texts and facts of spec/",
    run: async () => disagreements(await readSpec(), await readWritten()),
  },
  { name: "fields without clause", run: async () => fieldsWithoutClause(await readSpec()) },
  { name: "clauses", run: async () => problemsOf(await readWritten()) },
  { name: "clauses of releases", run: checkReleasedClauses },
  { name: "clauses without check or rule", run: checkCitations },
];

const width = Math.max(...steps.map(({ name }) => name.length));

/** Runs one step and prints its line. An error that it throws becomes its problem. */
async function report({ name, run }: Step): Promise<{ name: string; problems: string[] }> {
  const start = performance.now();
  const problems = await run().catch((error: unknown) =>
    nonBlankLines(error instanceof Error ? error.message : String(error)),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"}  ${name.padEnd(width)}  ${seconds.padStart(5)} s`);
  return { name, problems };
}

const failures = (await Promise.all(steps.map(report))).filter(({ problems }) => problems.length > 0);
if (flags.fast)
  console.log(
    `\nfast: format, lint and style of ${changed!.length} files that differ from trunk; no schemas of reports, no files of the packages`,
  );
for (const { name, problems } of failures)
  console.log(`\n${name}\n${problems.map((line) => `  ${line}`).join("\n")}`);
if (!flags.fast) console.log(`\n${sizesNote().join("\n")}`);
const last = releasedVersions().at(-1);
if (last !== undefined) {
  const released = JSON.parse(await readFile(releaseFile(last, "openapi.json"), "utf8")) as OpenApiDocument;
  const spec = await readSpec();
  const facts = JSON.parse(await readFile(releaseFile(last, "facts.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const note = factsNote(
    [
      ...Object.keys(facts)
        // The roles are what checks ask of a profile, not facts of the contract.
        .filter((name) => newestFact(name) !== undefined && !name.endsWith("Roles"))
        .flatMap((name) => changedFacts(facts[name], newestFact(name), name)),
      ...changedFacts(statusesOf(released), statusesOf(spec), "operations"),
    ],
    clauses,
    cited,
  );
  if (note.length > 0) console.log(`\nFacts that differ from ${last}:\n${note.join("\n")}`);
  for (const line of placesToDecide(released, spec)) console.log(line);
}
process.exitCode = failures.length === 0 ? 0 : 1;
