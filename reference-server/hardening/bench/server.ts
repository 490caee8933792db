import "../../../cli/threads.ts";
import { serveReference } from "../serving.ts";
import { benchAnswers } from "./answering.ts";
import { benchConfig } from "./config.ts";
import { noContract, partsOf, type Variant } from "./variants.ts";

/*
 * A server under a bench, in its own process: `node reference-server/hardening/bench/server.ts FOLDER VARIANT`. It reports the address it
 * listens on, and answers what the bench asks.
 */
const [, , dataFolder, variantText] = process.argv;
const variant = JSON.parse(variantText!) as Variant;
const config = benchConfig(dataFolder!, variant.databaseUrl);
await serveReference(config, {
  alter: (parts) => partsOf(parts, variant),
  options: variant.validation ? {} : { contract: noContract },
  answers: benchAnswers,
});
