import { baseUrl, defaultParts } from "../reference-server/parts-default.ts";
import { createServer } from "../reference-server/server.ts";
import { benchConfig } from "./config.ts";
import { noContract, partsOf, type Variant } from "./variants.ts";

/*
 * A server under a bench, in its own process: `node bench/server.ts FOLDER VARIANT`. It reports the address it listens
 * on, and on request its CPU time and memory.
 */
const [, , dataFolder, variantText] = process.argv;
const variant = JSON.parse(variantText!) as Variant;
const config = benchConfig(dataFolder!, variant.databaseUrl);
const { parts, close } = await defaultParts(config);
const options = variant.validation ? {} : { contract: noContract };
const server = createServer(config, partsOf(parts, variant), options);
const port = await server.start();

const sampleMs = 20;
let largest = 0;
let sampling: NodeJS.Timeout | undefined;
const sample = (): void => void (largest = Math.max(largest, process.memoryUsage.rss()));

async function stop(): Promise<void> {
  await server.stop();
  await close();
  process.exit(0);
}

process.on("message", (message) => {
  if (message === "stop") return void stop();
  if (message === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send!({ value: user + system });
  }
  if (message === "watch memory") {
    largest = 0;
    sample();
    sampling = setInterval(sample, sampleMs);
    process.send!({ value: largest });
  }
  if (message === "most memory") {
    clearInterval(sampling);
    sample();
    process.send!({ value: largest });
  }
});
process.on("disconnect", () => void stop());
process.send!({ baseUrl: baseUrl(config.host, port) });
