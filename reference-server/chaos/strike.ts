import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { responseHeaders, type OperationId } from "../../generated/contract.ts";
import type { Quotas } from "../config.ts";
import { versionHeader } from "../http/app.ts";
import { failure } from "../http/operation.ts";
import type { Clock } from "../parts.ts";
import { oddly, type OddWay } from "./odd.ts";

/** A fault of one request. The contract permits each, or cannot exclude it: networks and gateways fail too. */
export type Strike =
  /** The work is done; the connection closes without an answer, or in the middle of it. */
  | { kind: "lost" | "cut" }
  /** The work is done, and the answer waits. */
  | { kind: "late"; ms: number }
  /** The work is done, and an answer with this status hides the outcome. */
  | { kind: "failed"; status: 408 | 500 | 502 | 503 | 504 }
  /** Nothing is done: a timeout or a failure behind the server. */
  | { kind: "refused"; status: 408 | 500 | 502 | 503 | 504 }
  /** Nothing is done: the rate limit is exceeded. */
  | { kind: "limited"; retryAfterSeconds: number }
  /** A read of the audit does not show its newest rows yet. */
  | { kind: "empty" }
  /** The work is done, and the answer is unusual and permitted. */
  | { kind: "odd"; way: OddWay };

/** The values for the headers of a limited request. */
export interface Limits {
  quotas: Quotas;
  clock: Clock;
}

/** A strike as a sentence. */
export function strikeInWords(strike: Strike): string {
  switch (strike.kind) {
    case "lost":
      return "the answer is lost after the work was done";
    case "cut":
      return "the answer is cut short after the work was done";
    case "late":
      return `the answer is ${strike.ms} ms late`;
    case "failed":
      return `the answer is ${strike.status} after the work was done`;
    case "refused":
      return `the request ends with ${strike.status}, and nothing was done`;
    case "limited":
      return `the request is limited for ${strike.retryAfterSeconds} s`;
    case "empty":
      return "the audit does not show it yet";
    case "odd":
      return `the answer is unusual: ${strike.way}`;
  }
}

/** Lets a listener answer a request with a fault. */
export function struck(
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
  { strike, operation, limits }: { strike: Strike; operation: OperationId | null; limits: Limits },
): void {
  switch (strike.kind) {
    case "lost":
    case "cut":
      lose(response, strike.kind === "cut");
      break;
    case "late":
      delay(response, strike.ms);
      break;
    case "failed":
      replace(response, () => outcomeUnknown(strike.status));
      break;
    case "empty":
      replace(response, withoutRows);
      break;
    case "odd":
      replace(response, (body) => ({
        status: response.statusCode,
        body: response.statusCode === 200 ? oddly(strike.way, operation, body) : body,
      }));
      break;
    case "refused":
      return answer(request, response, outcomeUnknown(strike.status));
    case "limited":
      return limit(request, response, strike.retryAfterSeconds, operation, limits);
  }
  listener(request, response);
}

type End = (chunk?: unknown) => ServerResponse;

/** Buffers the writes to a response; `end` receives the whole body, and then writes as usual. */
function hold(response: ServerResponse, end: (body: Buffer) => void): void {
  const { write, writeHead, end: ownEnd } = response;
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = ((chunk: unknown) => {
    keep(chunk);
    return true;
  }) as typeof response.write;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    const headers = rest.find((argument) => typeof argument === "object" && argument !== null) ?? {};
    for (const [name, value] of Object.entries(headers as Record<string, string>)) {
      response.setHeader(name, value);
    }
    return response;
  }) as typeof response.writeHead;
  response.end = ((chunk?: unknown) => {
    keep(chunk);
    // Node writes the head through `writeHead`.
    Object.assign(response, { write, writeHead, end: ownEnd });
    end(Buffer.concat(chunks));
    return response;
  }) satisfies End as typeof response.end;
}

/** Does the work, but sends none or half of the answer. */
function lose(response: ServerResponse, half: boolean): void {
  hold(response, (body) => {
    if (!half || body.length < 2) return void response.destroy();
    response.setHeader("Content-Length", body.length);
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  });
}

function delay(response: ServerResponse, ms: number): void {
  const end = response.end.bind(response) as End;
  response.end = ((chunk?: unknown) => {
    setTimeout(() => end(chunk), ms);
    return response;
  }) satisfies End as typeof response.end;
}

interface Replaced {
  status: number;
  body: string;
}

/** Does the work, and sends another answer; null keeps the server's own. */
function replace(response: ServerResponse, other: (body: string) => Replaced | null): void {
  hold(response, (body) => {
    const replaced = other(body.toString("utf8"));
    const content = replaced === null ? body : Buffer.from(replaced.body);
    if (replaced !== null) response.statusCode = replaced.status;
    if (replaced !== null && replaced.status >= 400) response.setHeader("Content-Type", json);
    response.setHeader("Content-Length", content.length);
    response.end(content);
  });
}

const json = "application/json; charset=utf-8";

const failed = (status: number, message: string): Replaced => ({
  status,
  body: JSON.stringify(failure(status, message)),
});

const outcomeUnknown = (status: number): Replaced =>
  failed(status, status === 500 ? "Internal error." : "The upstream service did not answer in time.");

/** A read of the audit without its rows: an empty list, the header of an export, no record of this id. */
function withoutRows(body: string): Replaced | null {
  if (!body.trimStart().startsWith("{")) return { status: 200, body: body.replace(/\n[^]*/, "\n") };
  const envelope = JSON.parse(body) as { status?: string; data?: Record<string, unknown> | null };
  const { data } = envelope;
  if (envelope.status !== "success" || data == null) return null;
  if (!Array.isArray(data["items"])) return failed(404, "No such record.");
  const fresh: Record<string, unknown> = { items: [], total: 0, has_more: false, next_cursor: null };
  const empty = Object.entries(data).map(
    ([name, value]) => [name, name in fresh ? fresh[name] : value] as const,
  );
  return { status: 200, body: JSON.stringify({ ...envelope, data: Object.fromEntries(empty) }) };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Replaced,
  headers: Record<string, string> = {},
): void {
  request.resume();
  response.writeHead(status, { ...versionHeader, ...headers, "Content-Type": json }).end(body);
}

/** A 429 in the contract's form. */
function limit(
  request: IncomingMessage,
  response: ServerResponse,
  seconds: number,
  operation: OperationId | null,
  { quotas, clock }: Limits,
): void {
  const quota = (quotas as Partial<Record<string, number>>)[operation ?? ""] ?? quotas.discover;
  answer(request, response, failed(429, `Too many requests; try again in ${seconds} s.`), {
    Date: new Date(clock.now()).toUTCString(),
    [responseHeaders.retryAfter]: String(seconds),
    [responseHeaders.rateLimitLimit]: String(quota),
    [responseHeaders.rateLimitRemaining]: "0",
    [responseHeaders.rateLimitReset]: String(Math.ceil(clock.now() / 1000) + seconds),
  });
}
