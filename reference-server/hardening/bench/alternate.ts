import type { Request } from "autocannon";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { alternate, type Loaded, type Round } from "./rounds.ts";
import { openAccounts, run } from "./running.ts";
import type { Variant } from "./variants.ts";

/** Connections of each load. Each sends its next request when the last one is answered. */
export const connections = 32;

/** The number of accounts over which a load is spread. */
const accounts = 8;

/** Runs one server for each variant, each on its own data folder, and loads them in turn. */
export function alternateVariants<Name extends string>(
  variants: Record<Name, Variant>,
  requestsFor: (keys: readonly string[]) => Request[],
  rounds: number,
): Promise<Record<Name, Round[]>> {
  return withTemporaryFolder(async (folder) => {
    const stops: (() => Promise<void>)[] = [];
    try {
      const servers = {} as Record<Name, Loaded>;
      for (const name of Object.keys(variants) as Name[]) {
        const dataFolder = `${folder}/${name}`;
        const keys = await openAccounts(dataFolder, accounts);
        const { baseUrl, cpu, stop } = await run(dataFolder, variants[name]);
        stops.push(stop);
        servers[name] = { baseUrl, cpu, requests: requestsFor(keys) };
      }
      return await alternate(servers, { rounds, connections });
    } finally {
      for (const stop of stops) await stop();
    }
  });
}
