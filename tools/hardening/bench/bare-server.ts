import http from "node:http";
import { serve } from "../serving.ts";
import { basePath, contractVersion, operations } from "../../../generated/contract.ts";

/*
 * A server that sends one fixed answer, in its own process: `node tools/hardening/bench/bare-server.ts`. The answer is a lawful
 * Discover answer, so that judging it costs as much as judging a real one.
 */
const tool = (index: number): object => ({
  tool_id: `weather.current.v${index}`,
  name: "Current weather",
  description: "Temperature, wind and sky of a city, as they are now.",
  provider_name: "Open Skies",
  billing_rule: { description: "1 credit a call", amount_credits: 1 },
  stats: { avg_execution_time_ms: 120.5, success_rate: 0.99 },
});
const body = Buffer.from(
  JSON.stringify({
    query: "data",
    search_id: "0b9e1b1c",
    total: 1,
    elapsed_time_ms: 3.2,
    results: [tool(1)],
    remaining_credits: 50,
  }),
);

const server = http.createServer((request, response) => {
  request.resume();
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    "x-service-api-version": contractVersion,
    "x-ratelimit-limit": String(operations.discover.rateLimit.requests),
    "x-ratelimit-remaining": "100",
    "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 30),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("a bare server got no port");
  serve({ baseUrl: `http://127.0.0.1:${address.port}${basePath}` }, () => Promise.resolve());
});
