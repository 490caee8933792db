// A limiter in front of a server, in a process of its own. In its environment: PORT, and GATE, a Gate as JSON.
import http from "node:http";
import { limiters } from "./limiters.js";

/**
 * @typedef {object} Gate
 * @property {string} limiter the name of a limiter in limiters.js; its options are below
 * @property {object} options
 * @property {number} quota
 * @property {number} windowSeconds
 * @property {string} upstream the origin of the server
 * @property {string} redisUrl
 * @property {string} prefix of keys in Redis
 * @property {Record<string, string>} accounts by key
 * @property {readonly string[]} limited paths
 * @property {{headers: Record<string, string>, body: string}} refusal a 429 by the contract
 */

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
/** @type {Gate} */
const gate = JSON.parse(process.env.GATE);
const windowMs = 1000 * gate.windowSeconds;

/** Passes a request on. The server's own limits are too large to matter, and are not shown. */
function forward(request, response) {
  const { hostname, port } = new URL(gate.upstream);
  const onward = http.request(
    { agent, hostname, port, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      for (const [name, value] of Object.entries(answer.headers))
        if (!name.startsWith("x-ratelimit-") && name !== "connection") response.setHeader(name, value);
      response.writeHead(answer.statusCode);
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

/** Refuses a request; the headers of the limiter stay. */
function refuse(response, status = 429) {
  for (const [name, value] of Object.entries(gate.refusal.headers)) response.setHeader(name, value);
  response.writeHead(status);
  response.end(gate.refusal.body);
}

const pathOf = ({ url }) => url.split("?")[0].replace(/^\/api\/v1/, "");
const keyOf = ({ headers }) => headers.authorization?.split(" ")[1];
const isLimited = (request) => keyOf(request) !== undefined && gate.limited.includes(pathOf(request));
const accountOf = (request) => gate.accounts[keyOf(request)] ?? keyOf(request);
/** The key that a limiter has to count by: the account and the operation. */
const bucketOf = (request) => `${gate.prefix}${accountOf(request)}${pathOf(request)}`;

const limited = await limiters[gate.limiter](
  { ...gate, windowMs, forward, refuse, bucketOf, keyOf, accountOf, pathOf },
  gate.options,
);
const server = http.createServer((request, response) =>
  isLimited(request) ? limited(request, response) : forward(request, response),
);
server.listen(Number(process.env.PORT), "127.0.0.1");
