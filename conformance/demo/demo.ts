import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { clockPath } from "../../reference-server/test-clock.ts";
import { demoConfig } from "./config.ts";
import { furnish } from "./furnish.ts";
import type { Profile } from "../subject/profile.ts";

/**
 * Starts the reference server in its own process, on a fresh embedded database with accounts of every kind, and passes
 * its profile to `use`. The suite treats it like any other server.
 */
export async function demo<T>(use: (profile: Profile) => Promise<T>): Promise<T> {
  const dataFolder = await mkdtemp(join(tmpdir(), "capability-contract-"));
  try {
    const profile = await furnish(demoConfig(dataFolder));
    const server = fork(new URL(`server${extname(import.meta.url)}`, import.meta.url), [dataFolder]);
    try {
      const [started] = (await Promise.race([
        once(server, "message"),
        once(server, "exit").then(([code]) => {
          throw new Error(`the reference server ended with status ${String(code)} before it listened`);
        }),
      ])) as [{ baseUrl: string }];
      const clock = { url: new URL(clockPath, started.baseUrl).href };
      return await use({ ...profile, base_url: started.baseUrl, clock });
    } finally {
      if (server.exitCode === null && server.connected) {
        server.send("stop");
        await once(server, "exit");
      }
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}
