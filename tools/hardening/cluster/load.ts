import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Profile } from "../../../conformance/server/profile.ts";

/** The scenarios of the load, each just long enough to find faults. */
const scenarios = [
  ["rate-limits"],
  ["billing"],
  ["throughput", "--seconds", "3", "--expect", "failed=0"],
  ["soak", "--seconds", "30", "--expect", "failed=0"],
] as const;

/** Length of a rate-limit window during the scenarios, in seconds: `rate-limits` waits for about three of them. */
export const loadWindow = 15;

/** Tools in the form of a profile file, without the further fields of the sample catalogue. */
const asWritten = (tools: Profile["tools"]): Profile["tools"] =>
  Object.fromEntries(Object.entries(tools).map(([role, { id, parameters }]) => [role, { id, parameters }]));

/**
 * Runs every scenario of the load as a command against a server; each writes its report to `reports/`.
 * @param folder where the profile is written
 * @returns the worst exit status of the runs
 */
export async function loadScenarios(profile: Profile, folder: string): Promise<number> {
  const file = join(folder, "load-profile.yaml");
  await writeFile(file, JSON.stringify({ ...profile, capabilities: {}, tools: asWritten(profile.tools) }));
  const program = fileURLToPath(new URL("../../../cli/cli.ts", import.meta.url));
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
