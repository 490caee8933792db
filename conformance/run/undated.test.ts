import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Report } from "../report/report.ts";

const home = mkdtempSync(join(tmpdir(), "capability-contract-undated-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const program = resolve(import.meta.dirname, "../../cli/cli.ts");
const recording = resolve(import.meta.dirname, "../traffic/dialects/chrome.har");

/** Loaded before the program: its clock is five years ahead. */
const ahead = join(home, "ahead.mjs");
writeFileSync(
  ahead,
  `const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) {
    super(...(given.length > 0 ? given : [Date.now()]));
  }
  static now() {
    return Real.now() + 5 * 365.25 * 86_400_000;
  }
};
`,
);

/** The verdicts of a run of the program, by check and rule. */
function verdicts(env: NodeJS.ProcessEnv, ...args: string[]): Record<string, string> {
  const json = join(home, "report.json");
  const { status, stderr } = spawnSync(process.execPath, [program, ...args, "--json", json], {
    cwd: home,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  expect(status, stderr).toBeLessThan(2);
  const { checks } = JSON.parse(readFileSync(json, "utf8")) as Report;
  return Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));
}

const inFiveYears = { NODE_OPTIONS: `--import=${pathToFileURL(ahead).href}` };

it("comes to the same verdicts on a recording in five years", () => {
  const now = verdicts({}, "judge", recording);
  expect(Object.values(now)).toContain("pass");
  expect(verdicts(inFiveYears, "judge", recording)).toEqual(now);
});

it("finds nothing wrong with a server five years from now", () => {
  const areas = ["TRIA", "USUM"].flatMap((area) => ["--only", area]);
  const found = Object.values(verdicts(inFiveYears, "conformance", "--fast", ...areas));
  expect(found.filter((verdict) => verdict === "pass").length).toBeGreaterThan(50);
  expect(found.filter((verdict) => !["pass", "unverified"].includes(verdict))).toEqual([]);
});
