import { startSampleProvider } from "../../../reference-server/providers/sample.ts";
import { serve } from "../serving.ts";

/* The sample provider in its own process, as a third party would be: `node tools/hardening/bench/provider-server.ts`. */
const provider = await startSampleProvider();
serve({ baseUrl: provider.url }, () => provider.stop());
