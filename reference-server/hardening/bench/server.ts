import "../../../cli/threads.ts";
import { baseUrl, defaultParts } from "../../parts-default.ts";
import { createServer } from "../../server.ts";
import { answerQuestions } from "./answering.ts";
import { benchConfig } from "./config.ts";
import { noContract, partsOf, type Variant } from "./variants.ts";

/*
 * A server under a bench, in its own process: `node reference-server/hardening/bench/server.ts FOLDER VARIANT`. It reports the address it
 * listens on, and answers what the bench asks.
 */
const [, , dataFolder, variantText] = process.argv;
const variant = JSON.parse(variantText!) as Variant;
const config = benchConfig(dataFolder!, variant.databaseUrl);
const { parts, close } = await defaultParts(config);
const options = variant.validation ? {} : { contract: noContract };
const server = createServer(config, partsOf(parts, variant), options);
const port = await server.start();

async function stop(): Promise<void> {
  await server.stop();
  await close();
  process.exit(0);
}

answerQuestions(stop);
process.send!({ baseUrl: baseUrl(config.host, port) });
