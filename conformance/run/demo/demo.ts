import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { withTemporaryFolder } from "../../../base/temporary-folder.ts";
import { clockPath } from "../../../reference-server/test-clock.ts";
import { demoConfig } from "./config.ts";
import { furnish } from "./furnish.ts";
import type { Profile } from "../../server/profile.ts";

/**
 * Starts the reference server in its own process, on a fresh embedded database with accounts of every kind, and passes
 * its profile to `use`. The suite treats it like any other server.
 */
export const demo = <T>(use: (profile: Profile) => Promise<T>): Promise<T> =>
  withTemporaryFolder(async (dataFolder) => {
    // The process loads while its accounts are opened.
    const server = fork(new URL(`server${extname(import.meta.url)}`, import.meta.url), [dataFolder]);
    const ended = once(server, "exit");
    try {
      const profile = await furnish(demoConfig(dataFolder));
      if (server.connected) server.send("start");
      const [started] = (await Promise.race([
        once(server, "message"),
        ended.then(([code]) => {
          throw new Error(`the reference server ended with status ${String(code)} before it listened`);
        }),
      ])) as [{ baseUrl: string }];
      const clock = { url: new URL(clockPath, started.baseUrl).href };
      return await use({ ...profile, base_url: started.baseUrl, clock });
    } finally {
      if (server.connected) server.disconnect();
      await ended;
    }
  });
