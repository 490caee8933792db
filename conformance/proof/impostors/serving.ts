import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OperationId } from "../../../generated/contract.ts";
import { operationOf } from "../../judge/operations.ts";
import { askerOf } from "./asker.ts";
import type { WireAnswer } from "../../changes/wire.ts";

/** A request as an impostor sees it. */
export interface Asked {
  /** The check that sends the request; null for what a run sends between checks. */
  check: string | null;
  operation: OperationId | null;
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string;
  body: string;
}

/** Serves the results of `answer` and passes the base URL to `use`. */
export async function serving<T>(
  answer: (asked: Asked) => Pick<WireAnswer, "status" | "body"> & Partial<WireAnswer>,
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://server");
      const path = url.pathname.replace(/^\/api\/v1/, "");
      const { status, headers, body } = answer({
        check: askerOf(request.headers),
        operation: operationOf(request.method!, path),
        method: request.method!,
        path,
        query: url.searchParams,
        authorization: request.headers.authorization ?? "",
        body: Buffer.concat(chunks).toString("utf8"),
      });
      const { "content-length": _length, ...kept } = headers ?? { "content-type": "application/json" };
      response.writeHead(status, kept).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
