import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { contractVersion } from "../../../generated/contract.ts";

/** Header fields that belong to one connection, not to the request (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "te",
]);

/** Names and values in turn, as they were sent. */
function forwarded(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!hopByHop.has(rawHeaders[index]!.toLowerCase()))
      kept.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return kept;
}

/**
 * A stateless load balancer: each request goes to the next server, so that two requests of one account reach the same
 * server only by chance. A server that cannot be reached is skipped. The answer is 503 if none can be reached, or if
 * the connection is lost after a request was sent, since the request may have been executed.
 * @param origins `http://host:port` of each server
 */
export async function roundRobin(
  origins: readonly string[],
): Promise<{ origin: string; close(): Promise<void> }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  let turn = 0;

  const forward = (request: http.IncomingMessage, response: http.ServerResponse, tries: number): void => {
    const { hostname, port } = new URL(origins[turn++ % origins.length]!);
    const headers = forwarded(request.rawHeaders);
    if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
    headers.push("X-Forwarded-For", request.socket.remoteAddress ?? "unknown");
    const { method, url: path } = request;
    const onward = http.request({ agent, hostname, port, method, path, headers, setHost: false });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, forwarded(answer.rawHeaders));
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", (error: NodeJS.ErrnoException) => {
      if (response.headersSent || response.destroyed) return void response.destroy();
      // Nothing was sent, so the next server can take the request.
      if (error.code === "ECONNREFUSED" && tries > 1) return forward(request, response, tries - 1);
      response.writeHead(503, {
        "Content-Type": "application/json",
        "Retry-After": "2",
        "X-Service-Api-Version": contractVersion,
      });
      const message = "No server answered: what you asked may have been done, or not. See the usage audit.";
      response.end(JSON.stringify({ status: "failure", message, status_code: 503, data: null }));
    });
    response.on("close", () => {
      if (!response.writableFinished) onward.destroy();
    });
    // The body is piped only after the connection is open: bytes sent to an absent server would be missing for the
    // next.
    onward.on("socket", (socket) => {
      if (socket.connecting) socket.once("connect", () => request.pipe(onward));
      else request.pipe(onward);
    });
  };

  const proxy = http.createServer(
    { keepAliveTimeout: 30_000, requireHostHeader: false },
    (request, response) => {
      forward(request, response, origins.length);
    },
  );
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      proxy.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
