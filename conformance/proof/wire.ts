import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { operationOf, type OperationId } from "../judge/operations.ts";

/** A request as a change of the wire sees it. */
export interface WireRequest {
  operation: OperationId | null;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** What the client has sent, before the server reads defaults into it. */
  sent: () => string;
}

/** An answer as a change of the wire sees it; header names are in lower case. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What becomes of an answer on its way out; a promise delays it. */
export type Wire = (request: WireRequest, answer: WireAnswer) => WireAnswer | Promise<WireAnswer>;

/** The same listener, its answers held back whole and changed on their way out. */
export const onTheWire =
  (listener: RequestListener, wire: Wire): RequestListener =>
  (incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://server");
    const path = url.pathname.replace(/^\/api\/v1/, "");
    const method = incoming.method ?? "GET";
    const request: WireRequest = {
      operation: operationOf(method, path),
      method,
      path,
      query: url.searchParams,
      // As they came: the server may rewrite its own.
      headers: { ...incoming.headers },
      sent: overhear(incoming),
    };
    hold(response, async (answer) => wire(request, answer));
    listener(incoming, response);
  };

/** Keeps what is read from the request, without reading it itself. */
function overhear(incoming: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  const emit = incoming.emit.bind(incoming) as (event: string, ...values: unknown[]) => boolean;
  incoming.emit = (event: string, ...values: unknown[]): boolean => {
    if (event === "data") chunks.push(Buffer.from(values[0] as Buffer));
    return emit(event, ...values);
  };
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Collects what is written to the response, and writes what `change` makes of it. */
function hold(response: ServerResponse, change: (answer: WireAnswer) => Promise<WireAnswer>): void {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  }) as typeof response.write;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    const headers = rest.find((one) => typeof one === "object" && one !== null) ?? {};
    for (const [name, value] of Object.entries(headers as Record<string, string>))
      response.setHeader(name, value);
    return response;
  }) as typeof response.writeHead;
  response.end = ((chunk?: unknown) => {
    keep(chunk);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.getHeaders())) headers[name] = String(value);
    const answer = { status: response.statusCode, headers, body: Buffer.concat(chunks).toString("utf8") };
    void change(answer).then((changed) => {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      const { "content-length": _length, "transfer-encoding": _encoding, ...kept } = changed.headers;
      const body = Buffer.from(changed.body);
      writeHead(changed.status, { ...kept, "content-length": String(body.length) });
      end(body);
    });
    return response;
  }) as typeof response.end;
}
