import { createServer } from "../../reference-server/server.ts";
import { baseUrl, defaultParts } from "../../reference-server/parts-default.ts";
import { demoConfig } from "./config.ts";

/**
 * The demo's reference server, in its own process: reports its address, and stops on request or when its parent goes
 * away.
 */
const dataFolder = process.argv[2]!;
const config = demoConfig(dataFolder);
const { parts, close } = await defaultParts(config);
const server = createServer(config, parts);
const port = await server.start();
process.send!({ baseUrl: baseUrl(config.host, port) });

const stop = async (): Promise<void> => {
  await server.stop();
  await close();
  process.exit(0);
};
process.on("message", () => void stop());
process.on("disconnect", () => void stop());
// Ctrl-C is for the suite, which then reports and stops this server.
process.on("SIGINT", () => undefined);
