import { sampleCapabilities } from "../../catalog/sample-roles.ts";
import { defaultConfig } from "../../config.ts";
import { baseUrl, defaultParts } from "../../parts-default.ts";
import { createServer } from "../../server.ts";
import { unlimitedQuotas } from "../../unlimited.fixture.ts";

/*
 * The reference server under a fuzz run, in its own process: `node reference-server/hardening/fuzz/server.ts FOLDER`. It reports its address, and
 * on request its memory. Quotas are too high to interfere.
 */
const config = {
  ...defaultConfig,
  dataFolder: process.argv[2]!,
  port: 0,
  logLevel: "error",
  quotas: unlimitedQuotas,
};
const { parts, close } = await defaultParts(config);
const server = createServer(config, parts);
const port = await server.start();

async function stop(): Promise<void> {
  await server.stop();
  await close();
  process.exit(0);
}

process.on("message", (message) => {
  if (message === "stop") void stop();
  else process.send!({ rss: process.memoryUsage.rss() });
});
process.on("disconnect", () => void stop());
process.send!({
  baseUrl: baseUrl(config.host, port),
  capabilityIds: Object.values(sampleCapabilities).map(({ id }) => id),
});
