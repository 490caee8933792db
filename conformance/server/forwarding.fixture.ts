import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A server that passes everything on to another one and rewrites the answers: for tests that need a server with one
 * fault.
 * @param rewrite the answer's body, before it is passed on, and the request as received
 */
export async function forwarding(
  baseUrl: string,
  rewrite: (body: string, request: IncomingMessage) => string,
): Promise<{ baseUrl: string; close: () => Promise<void> }> {
  const { origin, pathname } = new URL(baseUrl);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        ["host", "connection", "content-length"].includes(name) ? [] : [[name, String(value)]],
      );
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      void fetch(`${origin}${request.url}`, { method: request.method!, headers, ...body }).then(
        async (answer) => {
          const text = rewrite(await answer.text(), request);
          const kept = [...answer.headers].filter(
            ([name]) => !["content-length", "content-encoding", "connection", "keep-alive"].includes(name),
          );
          response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
        },
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
