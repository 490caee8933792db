import type { Config } from "../../reference-server/config.ts";
import { serveReference } from "./serving.ts";

/* The reference server in its own process: `node tools/hardening/server.ts CONFIG`, with its configuration as JSON. */
await serveReference(JSON.parse(process.argv[2]!) as Config);
