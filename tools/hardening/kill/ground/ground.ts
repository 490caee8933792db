import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { withTemporaryFolder } from "../../../../base/temporary-folder.ts";
import { defaultConfig } from "../../../../reference-server/config.ts";
import { startProcess } from "../../started.ts";
import { killConfig, openAccounts } from "../accounts.ts";
import type { Shared } from "../../cluster/cluster.ts";
import type { Reckoning } from "../reckoning.ts";
import { aheadMs } from "../rounds.ts";
import { layFiles } from "./files.ts";
import { groundRounds } from "./rounds.ts";
import { layServices } from "./services.ts";

/**
 * Rounds of faults under a server on SQLite: locks, files, the disk.
 * @param missing is given why some faults cannot be made on this machine
 */
export const fileRounds = (
  how: { rounds: number; seed: number },
  reckoned?: (reckoning: Reckoning) => void,
  missing: (why: string) => void = () => undefined,
): Promise<Reckoning[]> =>
  withTemporaryFolder(async (folder) => {
    const dataFolder = join(folder, "data");
    await mkdir(dataFolder);
    const config = killConfig({ ...defaultConfig, dataFolder });
    const ground = await layFiles(dataFolder, folder);
    ground.missing.forEach(missing);
    try {
      const env = { ...ground.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
      const script = new URL("../server.ts", import.meta.url);
      return await groundRounds(
        how,
        ground,
        {
          start: (restarts) =>
            startProcess(script, [JSON.stringify(config), String(restarts * aheadMs)], { env }),
          openAccounts: ({ said }) => openAccounts(config, said.baseUrl),
        },
        reckoned,
      );
    } finally {
      await ground.close();
    }
  });

/** Rounds of faults under a server on Postgres and Redis, which run meanwhile for others. */
export const serviceRounds = (
  { shared, ...how }: { rounds: number; seed: number; shared: Shared },
  reckoned?: (reckoning: Reckoning) => void,
): Promise<Reckoning[]> =>
  withTemporaryFolder(async (dataFolder) => {
    const ground = await layServices(shared);
    const { databaseUrl, redisUrl } = ground;
    const config = killConfig({ ...defaultConfig, dataFolder, databaseUrl, redisUrl });
    try {
      const env = { NODE_COMPILE_CACHE: join(dataFolder, "compiled") };
      const script = new URL("../server.ts", import.meta.url);
      return await groundRounds(
        how,
        ground,
        {
          start: () => startProcess(script, [JSON.stringify(config)], { env }),
          openAccounts: ({ said }) => openAccounts(config, said.baseUrl),
        },
        reckoned,
      );
    } finally {
      await ground.close();
    }
  });
