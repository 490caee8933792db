import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { demo } from "../conformance/run/demo/demo.ts";
import { run } from "./packed.fixture.ts";

interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: { id?: string; run?: string; env?: Record<string, string> }[] };
}

const repository = resolve(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "capability-contract-action-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("installs itself from its checkout, and a whole run of a right server ends with 0", async () => {
  const checkout = join(home, "action");
  mkdirSync(checkout);
  const archive = join(home, "action.tar");
  run("git", ["archive", "--output", archive, "HEAD"], repository);
  run("tar", ["xf", archive, "-C", checkout], home);
  const { inputs, runs } = parse(readFileSync(join(checkout, "action.yml"), "utf8")) as Action;
  const { run: script, env } = runs.steps.find(({ id }) => id === "judge")!;
  const output = join(home, "output");
  writeFileSync(output, "");
  await demo(async ({ base_url: url }) => {
    const values: Record<string, string> = { "github.action_path": checkout };
    for (const [name, { default: value }] of Object.entries(inputs))
      values[`inputs.${name}`] = name === "base-url" ? url : value;
    const given = Object.entries(env!).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (.+?) \}\}/g, (_, key: string) => values[key]!),
    ]);
    await promisify(execFile)("bash", ["-c", script!], {
      cwd: home,
      env: {
        ...process.env,
        ...Object.fromEntries(given),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: output,
      },
      maxBuffer: 64 * 1024 * 1024,
    });
  });
  expect(readFileSync(output, "utf8")).toContain("verdict=passed");
});
