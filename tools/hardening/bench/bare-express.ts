import { readFileSync } from "node:fs";
import express from "express";
import { serve } from "../serving.ts";

/*
 * A bare Express server in its own process: `node tools/hardening/bench/bare-express.ts FILE`. Each route of the JSON file parses the
 * body of a POST and answers a fixed body.
 */
const answers = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Record<string, object>;
const app = express();
app.use(express.json());
for (const [path, answer] of Object.entries(answers)) {
  app.post(`/${path}`, (_request, response) => void response.json(answer));
}
const listener = app.listen(0, "127.0.0.1", () => {
  const address = listener.address();
  if (typeof address !== "object" || address === null) throw new Error("a bare server got no port");
  serve({ baseUrl: `http://127.0.0.1:${address.port}` }, () => Promise.resolve());
});
