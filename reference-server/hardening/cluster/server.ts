import type { Config } from "../../config.ts";
import { baseUrl, defaultParts } from "../../parts-default.ts";
import { createServer } from "../../server.ts";

/** One server of a cluster in its own process: `node reference-server/hardening/cluster/server.ts CONFIG`, with its configuration as JSON. */
const config = JSON.parse(process.argv[2]!) as Config;
const { parts, close } = await defaultParts(config);
const server = createServer(config, parts);
const port = await server.start();
process.send!({ origin: new URL(baseUrl(config.host, port)).origin });

const stop = async (): Promise<void> => {
  await server.stop();
  await close();
  process.exit(0);
};
process.on("message", () => void stop());
process.on("disconnect", () => void stop());
