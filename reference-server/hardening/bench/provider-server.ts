import { startSampleProvider } from "../../providers/sample.ts";
import { answerQuestions } from "./answering.ts";

/* The sample provider in its own process, as a third party would be: `node reference-server/hardening/bench/provider-server.ts`. */
const provider = await startSampleProvider();
answerQuestions(async () => {
  await provider.stop();
  process.exit(0);
});
process.send!({ baseUrl: provider.url });
