import "../../../base/threads.ts";
import { serveReference } from "../serving.ts";
import { benchConfig } from "./config.ts";
import { partsOf, type Variant } from "./variants.ts";

/* A benched server, in its own process: `node tools/hardening/bench/server.ts FOLDER VARIANT`. */
const [, , dataFolder, variantText] = process.argv;
const variant = JSON.parse(variantText!) as Variant;
await serveReference(benchConfig(dataFolder!, variant.databaseUrl), {
  alter: (parts) => partsOf(parts, variant),
});
