import { IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { OperationId } from "../../generated/contract.ts";
import { operationOf } from "../judge/operations.ts";

/** A request as a change on the wire sees it. */
export interface WireRequest {
  operation: OperationId | null;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** The client's original, before the server fills in defaults. */
  sent: () => string;
}

/** An answer as a change on the wire sees it; header names are in lower case. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Transforms an outgoing answer; a promise delays it. */
export type Wire = (request: WireRequest, answer: WireAnswer) => WireAnswer | Promise<WireAnswer>;

/** Changes to a request: given parts replace the client's. */
export interface Replacement {
  path?: string;
  query?: URLSearchParams;
  headers?: IncomingMessage["headers"];
  body?: string;
}

/**
 * Transforms an incoming request; null leaves it unchanged. `body` reads the complete body, so a change that only needs
 * the address should not call it.
 */
export type Inward = (
  request: WireRequest,
  body: () => Promise<string>,
) => Replacement | null | Promise<Replacement | null>;

/**
 * Wraps a listener: changes requests on their way in, buffers answers and changes them on their way out. Changes see
 * the requests as the client sent them.
 */
export const onTheWire =
  (listener: RequestListener, wire: Wire, inward?: Inward): RequestListener =>
  (incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://server");
    const path = url.pathname.replace(/^\/api\/v1/, "");
    const method = incoming.method ?? "GET";
    const request: WireRequest = {
      operation: operationOf(method, path),
      method,
      path,
      query: url.searchParams,
      // The original values, since the server may rewrite its own.
      headers: { ...incoming.headers },
      sent: overhear(incoming),
    };
    hold(response, async (answer) => wire(request, answer));
    if (inward === undefined) listener(incoming, response);
    else void rewritten(incoming, request, inward).then((changed) => listener(changed, response));
  };

/** The request for the server: the client's own, unless it was read or replaced. */
async function rewritten(
  incoming: IncomingMessage,
  request: WireRequest,
  inward: Inward,
): Promise<IncomingMessage> {
  let read: string | undefined;
  const replacement = await inward(request, async () => (read ??= await textOf(incoming)));
  if (replacement === null && read === undefined) return incoming;
  const { path, query, headers, body } = replacement ?? {};
  const again = new IncomingMessage(incoming.socket);
  const url = new URL(incoming.url ?? "/", "http://server");
  if (path !== undefined) url.pathname = `/api/v1${path}`;
  if (query !== undefined) url.search = query.toString();
  const content = body ?? read ?? (await textOf(incoming));
  again.method = incoming.method;
  again.url = url.pathname + url.search;
  again.httpVersionMajor = incoming.httpVersionMajor;
  again.httpVersionMinor = incoming.httpVersionMinor;
  again.httpVersion = incoming.httpVersion;
  const { "transfer-encoding": _encoding, ...kept } = headers ?? incoming.headers;
  again.headers = content === "" ? kept : { ...kept, "content-length": String(Buffer.byteLength(content)) };
  again.rawHeaders = Object.entries(again.headers).flatMap(([name, value]) => [name, String(value)]);
  again.push(content);
  again.push(null);
  again.complete = true;
  return again;
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Records what the server reads from the request, without reading it itself. */
function overhear(incoming: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  const emit = incoming.emit.bind(incoming) as (event: string, ...values: unknown[]) => boolean;
  incoming.emit = (event: string, ...values: unknown[]): boolean => {
    if (event === "data") chunks.push(Buffer.from(values[0] as Buffer));
    return emit(event, ...values);
  };
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Headers that follow from the body, in any case. */
const framing = /^(content-length|transfer-encoding)$/i;

/** Buffers what is written to the response, and writes what `change` makes of it. */
function hold(response: ServerResponse, change: (answer: WireAnswer) => Promise<WireAnswer>): void {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    const done = rest.find((argument) => typeof argument === "function") as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  }) as typeof response.write;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    const headers = rest.find((argument) => typeof argument === "object" && argument !== null) ?? {};
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
      const body = Buffer.from(changed.body);
      const kept = Object.entries(changed.headers).filter(([name]) => !framing.test(name));
      writeHead(changed.status, { ...Object.fromEntries(kept), "content-length": String(body.length) });
      end(body);
    });
    return response;
  }) as typeof response.end;
}
