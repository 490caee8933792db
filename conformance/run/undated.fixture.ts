import { spawnSync } from "node:child_process";
import { writeFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import type { Report } from "../report/report.ts";

const program = resolve(import.meta.dirname, "../../cli/cli.ts");

/** Loaded before the program: its clock is so many years ahead. */
const aheadBy = (years: number): string => `const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) {
    super(...(given.length > 0 ? given : [Date.now()]));
  }
  static now() {
    return Real.now() + ${years} * 365.25 * 86_400_000;
  }
};
`;

/** The verdicts of a run of the program that begins so many years from now, by check and rule. */
export const verdictsIn = (years: number, ...args: string[]): Promise<Record<string, string>> =>
  withTemporaryFolder((home) => {
    const [ahead, json] = [join(home, "ahead.mjs"), join(home, "report.json")];
    writeFileSync(ahead, aheadBy(years));
    const { status, stderr } = spawnSync(process.execPath, [program, ...args, "--json", json], {
      cwd: home,
      encoding: "utf8",
      // The server that a run starts takes it over.
      env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(ahead).href}` },
    });
    expect(status, stderr).toBeLessThan(2);
    const { checks } = JSON.parse(readFileSync(json, "utf8")) as Report;
    return Promise.resolve(Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict])));
  });
