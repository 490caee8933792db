import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

type Dict = Record<string, string>;
interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: { id?: string; run?: string; uses?: string; env?: Dict; with?: Dict }[] };
}

const repository = resolve(import.meta.dirname, "..");
const { inputs, runs } = parse(readFileSync(join(repository, "action.yml"), "utf8")) as Action;
const judge = runs.steps.find(({ id }) => id === "judge")!;
const home = mkdtempSync(join(tmpdir(), "capability-contract-action-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let count = 0;

/** Runs a script of a step, as a runner does. */
async function step(script: string, cwd: string, env: Record<string, string | undefined>) {
  const child = spawn("bash", ["-c", script], { cwd, env: { ...process.env, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [status] = (await once(child, "close")) as [number];
  return { status, stdout, stderr };
}

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Runs the script of the action's main step with the given inputs. @param node what runs the suite */
async function judged(given: Record<string, string>, node = process.execPath) {
  const values: Record<string, string> = { "github.action_path": repository };
  for (const [name, { default: value }] of Object.entries(inputs))
    values[`inputs.${name}`] = given[name] ?? value;
  const environment = Object.entries(judge.env!).map(([name, expression]) => [
    name,
    expression.replace(/\$\{\{ (.+?) \}\}/g, (_, key: string) => values[key]!),
  ]);
  const output = join(home, `output-${(count += 1)}`);
  const summary = join(home, `summary-${count}`);
  const said = await step(judge.run!, home, {
    ...Object.fromEntries(environment),
    NODE_OF_SUITE: node,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
  });
  return { ...said, output: read(output), summary: read(summary) };
}

describe("the GitHub Action", () => {
  it("puts no input into a script, and uploads nothing", () => {
    for (const { run = "", uses = "" } of runs.steps) {
      expect(run).not.toContain("${{");
      expect(uses).not.toContain("upload");
    }
  });

  it("caches what it downloads itself, by its version, with an action pinned by commit", () => {
    const [cache] = runs.steps.filter(({ uses }) => uses !== undefined);
    const { version } = JSON.parse(read(join(repository, "conformance/package.json"))) as Dict;
    expect(cache!.uses).toMatch(/^actions\/cache@[\da-f]{40}$/);
    expect(cache!.with).toEqual({
      path: "${{ github.action_path }}/.npm",
      key: `capability-contract-${version}-\${{ runner.os }}-\${{ runner.arch }}`,
    });
    expect(judge.run).toContain('npm_config_cache="$SUITE/.npm"');
  });

  it("refuses inputs that cannot be used", async () => {
    expect((await judged({})).status).toBe(2);
    expect((await judged({ "base-url": "http://127.0.0.1:9/api/v1", strict: "yes" })).stdout).toContain(
      "::error::strict is true or false",
    );
    const commanding = await judged({
      "base-url": "http://127.0.0.1:9/api/v1",
      args: "--only\n::set-output name=verdict::passed",
    });
    expect([commanding.status, commanding.stderr]).toEqual([2, expect.not.stringMatching(/^::/m)]);
  });

  // What they do to the verdict, the outputs and the summary: conformance/run/main.test.ts.
  it("passes each input on as a flag, and a failure as its own", async () => {
    const node = join(home, "node");
    writeFileSync(node, '#!/bin/sh\nshift\nprintf "%s\\n" "$@"\nexit 1\n', { mode: 0o755 });
    const url = "https://api.example.com/api/v1";
    const inputs = { "base-url": url, profile: "p.yaml", known: "k.yaml", base: "b.json", strict: "true" };
    const { status, stdout } = await judged(
      { ...inputs, wait: "7", args: "--only\nDISC-02\n\n--fast" },
      node,
    );
    expect(status).toBe(1);
    const reports = ["json", "html", "xml"].map((kind) => `conformance-reports/conformance.${kind}`);
    expect(stdout.trim().split("\n")).toEqual([
      ...["conformance", "--github", "--wait-for-server", "7"],
      ...["--json", reports[0], "--html", reports[1], "--junit", reports[2]],
      ...["--base-url", url, "--profile", "p.yaml", "--known", "k.yaml", "--base", "b.json", "--strict"],
      ...["--only", "DISC-02", "--fast"],
    ]);
  });

  it("runs the judge, and outputs where the reports are for later steps", async () => {
    const { status, output } = await judged({
      "base-url": "http://127.0.0.1:9/api/v1",
      strict: "true",
      wait: "1",
      reports: "r",
    });
    expect(status).toBe(3);
    expect(output).toBe(
      "verdict=error\njson=r/conformance.json\nhtml=r/conformance.html\njunit=r/conformance.xml\n",
    );
  });
});

describe("pull requests that change an OpenAPI document", () => {
  const page = readFileSync(join(repository, "docs/drift.md"), "utf8");
  const [, workflow] = /```yaml\n(# \.github\/workflows[\s\S]*?)```/.exec(page)!;
  const { drift } = (parse(workflow!) as { jobs: Record<string, { steps: { run?: string }[] }> }).jobs;
  const [recipe, summarize] = drift!.steps.flatMap(({ run = [] }) => run);

  const git = (...args: string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=A", "-c", "user.email=a@example.com", ...args]);
  const project = mkdtempSync(join(home, "project-"));
  const commit = (...properties: string[]): void => {
    const schema = { type: "object", required: properties, properties: {} as object };
    schema.properties = Object.fromEntries(properties.map((name) => [name, { type: "string" }]));
    const content = { "application/json": { schema } };
    const paths = { "/a": { get: { responses: { 200: { description: "a", content } } } } };
    const document = { openapi: "3.1.0", info: { title: "A", version: "1" }, paths };
    writeFileSync(join(project, "openapi.yaml"), JSON.stringify(document, null, 1));
    git("add", ".");
    git("commit", "--allow-empty", "-qm", properties.join(" "));
  };
  const bin = mkdtempSync(join(home, "bin-"));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${repository}/cli/cli.ts" "$@"\n`;
  writeFileSync(join(bin, "npx"), npx, { mode: 0o755 });

  /** Runs the recipe for a pull request. */
  async function pullRequest(released: string[], main: string[], proposed: string[]) {
    commit(...released);
    git("tag", "-f", "v1.0.0");
    commit(...main);
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    commit(...proposed);
    const summary = join(project, "summary.md");
    rmSync(summary, { force: true });
    const env = {
      PATH: `${bin}${delimiter}${process.env["PATH"]}`,
      ...{ SPEC: "openapi.yaml", BASE: "main", RELEASED: "v1.0.0", GITHUB_STEP_SUMMARY: summary },
    };
    const judged = await step(recipe!, project, env);
    await step(summarize!, project, env);
    return { ...judged, summary: read(summary) };
  }

  it("fail for what they introduce, not for what they inherit, and show what they fix", async () => {
    git("init", "-q", "-b", "main");
    const introduced = await pullRequest(["a", "b"], ["a", "b"], ["a"]);
    expect(introduced).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("::error file=openapi.yaml,line="),
      summary: expect.stringMatching(/^\| `answer_\w+` \(introduced\)/m),
    });
    const inherited = await pullRequest(["a", "b"], ["a"], ["a"]);
    expect(inherited).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^(::notice .*\n)+$/),
      summary: expect.stringMatching(/^\| `answer_\w+` \(inherited\)/m),
    });
    const mended = await pullRequest(["a", "b"], ["a"], ["a", "b"]);
    expect(mended).toMatchObject({
      status: 0,
      summary: expect.stringMatching(/### Fixed \(\d+\)\n\n- `answer_/),
    });
  });
});
