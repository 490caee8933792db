import http from "node:http";
import { serve } from "../serving.ts";
import { benchAnswers } from "./answering.ts";
import { basePath } from "../../../generated/contract.ts";

/*
 * A proxy that only forwards, in its own process: `node reference-server/hardening/bench/bare-proxy.ts TARGET`. Its latency is the minimum that
 * any proxy of this kind adds.
 */
const target = new URL(process.argv[2]!);
const agent = new http.Agent({ keepAlive: true });

const server = http.createServer((request, response) => {
  const { hostname, port } = target;
  const passing = http.request(
    { hostname, port, agent, method: request.method, path: request.url, headers: request.rawHeaders },
    (incoming) => {
      response.writeHead(incoming.statusCode!, incoming.rawHeaders);
      incoming.pipe(response);
    },
  );
  passing.on("error", () => response.destroy());
  request.pipe(passing);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("a bare proxy got no port");
  const baseUrl = `http://127.0.0.1:${address.port}${basePath}`;
  serve({ baseUrl }, () => Promise.resolve(), { cpu: benchAnswers["cpu of the main thread"]! });
});
