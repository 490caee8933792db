import type { Config } from "../../config.ts";
import { baseUrl, createLog, defaultParts } from "../../parts-default.ts";
import { systemClock } from "../../system-clock.ts";
import { createServer } from "../../server.ts";
import { connectPostgres } from "../../storage/postgres.ts";
import { connectSqlite } from "../../storage/sqlite.ts";
import { Traps, trapped, trappedProviders, type Trap } from "./points.ts";

/*
 * The reference server with traps: `node reference-server/hardening/kill/server.ts CONFIG [AHEAD]`, with its configuration as JSON. With AHEAD its
 * clock runs that many ms ahead of the machine's, so that the lease of a process killed a moment ago has already ended;
 * without it, the database's clock counts.
 */
const [, , configText, ahead] = process.argv;
const config = JSON.parse(configText!) as Config;
const connect = config.databaseUrl === null ? connectSqlite : connectPostgres;
const traps = new Traps();
const { parts, close } = await defaultParts(config, {
  ...(ahead !== undefined && { clock: { now: () => systemClock.now() + Number(ahead) } }),
  log: createLog(config.logLevel),
  connect: async (address) => trapped(await connect(address), traps),
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
process.send!({ origin: new URL(baseUrl(config.host, port)).origin });
