import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report } from "../../../conformance/report/report.ts";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import type { Bench, Figure } from "./figure.ts";
import { middleOf } from "./rounds.ts";
import { cut } from "./shares.ts";

const program = fileURLToPath(new URL("../../../cli/cli.ts", import.meta.url));
const runs = 10;

/** What the suite's own time goes to, and the folders and modules that do it. */
const parts = {
  judging: /conformance\/judge|node_modules\/ajv/,
  checks: /conformance\/(suite|runner)/,
  sending: /conformance\/subject|undici|node:(net|http|_http|internal\/streams)/,
  reporting: /conformance\/report/,
  "opening the server's accounts": /reference-server|conformance\/demo|sqlite3|knex/,
  "loading code": /node:internal\/modules|amaro/,
} as const;

/** The drivers of SQLite, as the server is told, by how a figure names them. */
const drivers = { "": "sqlite3", ", with Node's SQLite": "node" } as const;

/**
 * One run of the suite with --fast against the reference server, each in a process of its own.
 * @param nodeFlags of both
 */
async function fastRun(
  folder: string,
  driver: (typeof drivers)[keyof typeof drivers] = "sqlite3",
  nodeFlags: readonly string[] = [],
): Promise<{ report: Report; pid: number }> {
  const json = join(folder, "conformance.json");
  const files = ["--json", json, "--html", join(folder, "conformance.html")];
  const child = spawn(process.execPath, [...nodeFlags, program, "conformance", "--fast", ...files], {
    stdio: "ignore",
    env: { ...process.env, SQLITE_DRIVER: driver },
  });
  const [status] = (await once(child, "exit")) as [number | null];
  if (status !== 0) throw new Error(`the suite ended with status ${String(status)}`);
  return { report: JSON.parse(await readFile(json, "utf8")) as Report, pid: child.pid! };
}

const judgedPerSecond = ({ report: { checks, duration_ms: ms } }: { report: Report }): number =>
  (1_000 * checks.length) / ms;

/** The suite against the reference server, and where its own CPU time goes. */
export const suiteBench: Bench = {
  name: "suite",
  run: ({ say }) =>
    withTemporaryFolder(async (folder) => {
      say(`the suite with --fast, ${runs} runs with each driver of SQLite`);
      const paces = new Map<string, number[]>();
      for (let run = 0; run < runs; run += 1) {
        for (const [how, driver] of Object.entries(drivers)) {
          const pace = judgedPerSecond(await fastRun(folder, driver));
          paces.set(how, [...(paces.get(how) ?? []), pace]);
        }
      }
      say("where its own CPU time goes");
      const { pid } = await fastRun(folder, "sqlite3", ["--cpu-prof", "--cpu-prof-dir", folder]);
      return [
        ...[...paces].map(([how, each]): Figure => ({
          name: `suite, --fast${how}`,
          says: "checks and rules judged a second against the reference server, both on this machine",
          ...middleOf(each),
          unit: "per second",
          target: how === "" ? { kind: "least", value: 150 } : null,
          measured: { runs },
        })),
        ...ownTime(await profileOf(pid, folder)),
      ];
    }),
};

async function profileOf(pid: number, folder: string): Promise<Profiler.Profile> {
  const file = (await readdir(folder)).find((name) => name.includes(`.${pid}.`) && name.endsWith("profile"));
  if (file === undefined) throw new Error("the suite left no profile");
  return JSON.parse(await readFile(join(folder, file), "utf8")) as Profiler.Profile;
}

const ownTime = (profile: Profiler.Profile): Figure[] =>
  [...cut(profile, parts)]
    .sort(([, one], [, other]) => other - one)
    .map(([name, micros]) => ({
      name: `suite, ${name}`,
      says: "of the time of the suite's main thread in one run",
      value: micros / 1_000,
      unit: "ms",
      target: null,
      measured: {},
    }));
