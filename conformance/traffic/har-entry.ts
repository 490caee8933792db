import { unfolded } from "../judge/content-coding.ts";
import type { Headers } from "../judge/exchange.ts";
import { operationOf } from "../judge/operations.ts";
import type { Unmasked } from "./masking.ts";

type Fields = Record<string, unknown>;

/** One entry of a HAR file. */
export interface Recorded {
  exchange: Unmasked;
  /** The recording omits part of it, such as a body; rules about bodies then do not apply. */
  partial: boolean;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;

/** An entry as an exchange, its operation not yet set; null for one that was never sent or is unintelligible. */
export function recordedOf(entry: Fields): Recorded | null {
  const request = fieldsOf(entry["request"]);
  const response = fieldsOf(entry["response"]);
  const url = textOf(request["url"]);
  const startedAt = Date.parse(textOf(entry["startedDateTime"]));
  if (!URL.canParse(url) || Number.isNaN(startedAt) || isFromCache(entry, response)) return null;
  const duration = numberOf(entry["time"]);
  const headers = headersOf(request["headers"]);
  const method = textOf(request["method"]) || "GET";
  const sent = sentOf(request, method, headers);
  const status = numberOf(response["status"]) ?? 0;
  const received = status === 0 ? null : receivedOf(response);
  const error = textOf(response["_error"]) || textOf(entry["_error"]) || textOf(response["statusText"]);
  return {
    exchange: {
      operation: null,
      started_at: startedAt,
      duration_ms: duration ?? 0,
      request: { method, url, headers, body: sent.body },
      response: received && { status, headers: received.headers, body: received.body },
      error: received === null ? error || "no answer was recorded" : null,
    },
    partial: duration === null || sent.partial || (received?.partial ?? false),
  };
}

/** Sets the operation of an exchange, given a base URL. */
export const withOperation = (exchange: Unmasked, baseUrl: string): Unmasked => ({
  ...exchange,
  operation: operationAt(exchange.request.method, exchange.request.url, baseUrl),
});

/** The operation of a request to the base URL. */
export function operationAt(method: string, url: string, baseUrl: string): Unmasked["operation"] {
  if (!url.startsWith(`${baseUrl}/`)) return null;
  return operationOf(method, url.slice(baseUrl.length).replace(/[?#].*$/s, ""));
}

const isFromCache = (entry: Fields, response: Fields): boolean =>
  (textOf(entry["_fromCache"]) !== "" && entry["_fromCache"] !== "none") ||
  response["_fetchedViaServiceWorker"] === true ||
  response["status"] === 304;

/** Names in lower case, repeated names joined; HTTP/2 pseudo headers are skipped. */
function headersOf(list: unknown): Headers {
  const headers: Headers = {};
  for (const one of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const name = textOf(one["name"]).toLowerCase();
    if (name === "" || name.startsWith(":")) continue;
    const value = textOf(one["value"]);
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

function sentOf(
  request: Fields,
  method: string,
  headers: Headers,
): { body: string | null; partial: boolean } {
  const post = fieldsOf(request["postData"]);
  const text = post["text"];
  const encoded = textOf(post["encoding"] ?? post["_encoding"]) === "base64";
  if (typeof text === "string" && text !== "") {
    return { body: encoded ? Buffer.from(text, "base64").toString("utf8") : text, partial: false };
  }
  const length = headers["content-length"];
  const size = numberOf(request["bodySize"]) ?? (length === undefined ? null : Number(length));
  // Without other evidence, a request of a kind that usually has a body may have had one.
  return { body: null, partial: size === null ? method !== "GET" && method !== "HEAD" : size > 0 };
}

function receivedOf(response: Fields): { headers: Headers; body: string; partial: boolean } {
  const headers = headersOf(response["headers"]);
  // Every server sends some header, so these were left out.
  if (Object.keys(headers).length === 0) return { headers, body: "", partial: true };
  const content = fieldsOf(response["content"]);
  const text = content["text"];
  if (typeof text !== "string") {
    const size = numberOf(content["size"]) ?? numberOf(response["bodySize"]);
    return { headers, body: "", partial: size !== 0 };
  }
  if (textOf(content["encoding"]) !== "base64") {
    return { headers, body: text, partial: Buffer.byteLength(text) < (numberOf(content["size"]) ?? 0) };
  }
  try {
    return {
      headers,
      body: unfolded(Buffer.from(text, "base64"), headers["content-encoding"]).toString("utf8"),
      partial: false,
    };
  } catch {
    return { headers, body: "", partial: true };
  }
}
