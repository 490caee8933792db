import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: { id?: string; run?: string; uses?: string; env?: Record<string, string> }[] };
}

const repository = resolve(import.meta.dirname, "..");
const { inputs, runs } = parse(readFileSync(join(repository, "action.yml"), "utf8")) as Action;
const judge = runs.steps.find(({ id }) => id === "judge")!;
const home = mkdtempSync(join(tmpdir(), "capability-contract-action-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let count = 0;

/** Runs the script of the action's main step with the given inputs, as a runner does. */
function judged(given: Record<string, string>) {
  const values: Record<string, string> = { "github.action_path": repository };
  for (const [name, { default: value }] of Object.entries(inputs))
    values[`inputs.${name}`] = given[name] ?? value;
  const environment = Object.entries(judge.env!).map(([name, expression]) => [
    name,
    expression.replace(/\$\{\{ (.+?) \}\}/g, (_, key: string) => values[key]!),
  ]);
  const output = join(home, `output-${(count += 1)}`);
  const summary = join(home, `summary-${count}`);
  const { status, stdout } = spawnSync("bash", ["-c", judge.run!], {
    cwd: home,
    encoding: "utf8",
    env: {
      ...process.env,
      ...Object.fromEntries(environment),
      NODE_OF_SUITE: process.execPath,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    },
  });
  return { status, stdout, output, summary };
}

describe("the GitHub Action", () => {
  it("puts no input into a script, and uploads nothing", () => {
    for (const { run = "", uses = "" } of runs.steps) {
      expect(run).not.toContain("${{");
      expect(uses).not.toMatch(/upload|cache/);
    }
  });

  it("refuses inputs that cannot be used", () => {
    expect(judged({}).status).toBe(2);
    expect(judged({ "base-url": "http://127.0.0.1:9/api/v1", strict: "yes" }).stdout).toContain(
      "::error::strict is true or false",
    );
  });

  it("runs the judge, and tells the steps behind it where the reports are", () => {
    const { status, output } = judged({
      "base-url": "http://127.0.0.1:9/api/v1",
      strict: "true",
      wait: "1",
      reports: "r",
    });
    expect(status).toBe(3);
    expect(readFileSync(output, "utf8")).toBe(
      "json=r/conformance.json\nhtml=r/conformance.html\njunit=r/conformance.xml\n",
    );
  });
});
