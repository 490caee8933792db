import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Profile } from "../conformance/subject/profile.ts";

/** Each scenario of the load, as long as it has to be to find something. */
const scenarios = [
  ["rate-limits"],
  ["billing"],
  ["throughput", "--seconds", "3", "--expect", "errors=0"],
  ["soak", "--seconds", "30", "--expect", "errors=0"],
] as const;

/** Length of a rate-limit window under the scenarios, in seconds: `rate-limits` waits for about three. */
export const loadWindow = 15;

/** Tools as a profile's file has them: the sample catalogue knows more of each. */
const asWritten = (tools: Profile["tools"]): Profile["tools"] =>
  Object.fromEntries(Object.entries(tools).map(([role, { id, parameters }]) => [role, { id, parameters }]));

/**
 * Runs every scenario of the load, by its command, against a server; each keeps its report in `reports/`.
 * @param folder where the profile is written
 * @returns the worst exit status, that of each run of the load
 */
export async function loadScenarios(profile: Profile, folder: string): Promise<number> {
  const file = join(folder, "load-profile.yaml");
  await writeFile(file, JSON.stringify({ ...profile, capabilities: {}, tools: asWritten(profile.tools) }));
  const program = fileURLToPath(new URL("../cli.ts", import.meta.url));
  let worst = 0;
  for (const [scenario, ...more] of scenarios) {
    const args = [
      program,
      "load",
      scenario,
      ...more,
      "--profile",
      file,
      "--json",
      `reports/cluster-${scenario}.json`,
    ];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    const [status] = (await once(child, "exit")) as [number | null];
    worst = Math.max(worst, status ?? 4);
  }
  return worst;
}
