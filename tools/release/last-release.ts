import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { requirementsFile, suiteReleases } from "../../base/pinned.ts";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { readReport } from "../../conformance/report/judge-again.ts";
import type { Report } from "../../conformance/report/report.ts";
import type { Pinned } from "../../conformance/report/requirements.ts";
import type { Profile } from "../../conformance/server/profile.ts";

const repository = path.resolve(import.meta.dirname, "../..");

/** The last release that is pinned. */
export const lastRelease = (): string => suiteReleases().at(-1)!;

/** Unpacks a release of this repository, with today's packages, and passes its folder to `use`. */
export const withRelease = <T>(release: string, use: (folder: string) => Promise<T>): Promise<T> =>
  withTemporaryFolder(async (folder) => {
    const { commit } = JSON.parse(readFileSync(requirementsFile(release), "utf8")) as Pinned;
    const archive = execFileSync("git", ["archive", commit], { cwd: repository, maxBuffer: 2 ** 28 });
    execFileSync("tar", ["x", "-C", folder], { input: archive });
    symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
    return use(folder);
  });

/** A run of an unpacked release against its own reference server, with all exchanges. */
export async function recordingOf(folder: string): Promise<Report> {
  const program = existsSync(path.join(folder, "cli/cli.ts")) ? "cli/cli.ts" : "cli.ts";
  const words = [program, "conformance", "--trace", "all", "--json", "run.json"];
  const [status] = (await once(
    spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }),
    "exit",
  )) as [number | null];
  if (status !== 0) throw new Error(`${words.join(" ")} of ${folder} ended with status ${status}`);
  // A report with all exchanges is packed, if not by the first release.
  const packed = path.join(folder, "run.json.gz");
  return readReport(existsSync(packed) ? packed : path.join(folder, "run.json"));
}

/** Starts the reference server of an unpacked release, with accounts of every kind, and passes its profile to `use`. */
export async function withServerOf<T>(folder: string, use: (profile: Profile) => Promise<T>): Promise<T> {
  const [demo] = globSync("conformance/**/demo/demo.ts", { cwd: folder });
  const script = path.join(folder, "serve-demo.mjs");
  const text = `
    import { demo } from ${JSON.stringify(path.join(folder, demo!))};
    await demo(async (profile) => {
      process.send(profile);
      await new Promise((done) => process.once("disconnect", done));
    });`;
  writeFileSync(script, text);
  const server = spawn(process.execPath, [script], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(server, "exit");
  try {
    const [profile] = (await Promise.race([
      once(server, "message"),
      ended.then(() => {
        throw new Error(`the server of ${folder} ended before it listened`);
      }),
    ])) as [Profile];
    return await use(profile);
  } finally {
    if (server.connected) server.disconnect();
    await ended;
  }
}
