import { once } from "node:events";
import { onStop } from "../../../base/exit.ts";
import { createServer } from "../../../reference-server/server.ts";
import { baseUrl, defaultParts } from "../../../reference-server/parts-default.ts";
import { demoConfig } from "./config.ts";

/**
 * The demo's reference server, in its own process: starts on request, reports its address, and stops when its
 * parent goes away.
 */
// A signal is for the suite, which then reports and stops this server.
onStop(() => undefined);
const gone = once(process, "disconnect");
await Promise.race([once(process, "message"), gone]);
if (!process.connected) process.exit(0);
const dataFolder = process.argv[2]!;
const config = demoConfig(dataFolder);
const { parts, close } = await defaultParts(config);
const server = createServer(config, parts);
const port = await server.start();
if (process.connected) process.send!({ baseUrl: baseUrl(config.host, port) });

await gone;
await server.stop();
await close();
process.exit(0);
