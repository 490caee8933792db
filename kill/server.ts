import { defaultConfig } from "../reference-server/config.ts";
import { baseUrl, createLog, defaultParts, systemClock } from "../reference-server/parts-default.ts";
import { createServer } from "../reference-server/server.ts";
import { connectSqlite } from "../reference-server/storage/sqlite.ts";
import { Traps, trapped, trappedProviders, type Trap } from "./points.ts";

/*
 * The reference server with traps: `node kill/server.ts FOLDER AHEAD`. Its clock runs AHEAD ms before the machine's, so
 * that it finds the lease of a process killed a moment ago run out, and need not wait for it.
 */
const [, , dataFolder, ahead] = process.argv;
const unlimited = 1_000_000_000;
const config = {
  ...defaultConfig,
  dataFolder: dataFolder!,
  port: 0,
  quotas: {
    discover: unlimited,
    inspect: unlimited,
    probe: unlimited,
    call: unlimited,
    anonymous: unlimited,
  },
};
const traps = new Traps();
const { parts, close } = await defaultParts(config, {
  clock: { now: () => systemClock.now() + Number(ahead) },
  log: createLog("fatal"),
  connect: async (path) => trapped(await connectSqlite(path), traps),
});
const server = createServer(config, { ...parts, providers: trappedProviders(parts.providers, traps) });
const port = await server.start();

async function stop(): Promise<void> {
  await server.stop();
  await close();
  process.exit(0);
}

process.on("message", (message: Trap | "stop") => {
  if (message === "stop") void stop();
  else traps.arm(message);
});
process.on("disconnect", () => process.exit(0));
process.send!({ baseUrl: baseUrl(config.host, port) });
