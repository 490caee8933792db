import { isObject } from "../../base/data.ts";
import { unfolded } from "../judge/content-coding.ts";
import type { Headers } from "../judge/exchange.ts";
import type { Missing, Part } from "../judge/missing.ts";
import { operationOf } from "../judge/operations.ts";
import type { Unmasked } from "./masking.ts";

/** An object of a JSON file that some tool wrote. */
export type Fields = Record<string, unknown>;

/** An exchange of a recording, with what the recording says of its own gaps. */
export interface Recorded {
  exchange: Unmasked;
  /** What the recording omits. Rules that need it do not apply. */
  missing: Missing;
  /** The answer broke off on the wire, so that its client does not know the outcome. */
  isCut: boolean;
}

/** Reads the body that an entry refers to by name (`_file` of Playwright); null when it is missing. */
export type Attached = (name: string) => Buffer | null;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
/** Tools write -1, NaN (as null) or nothing for what they do not know. */
const numberOf = (value: unknown): number | null => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : null;
};

/**
 * An entry of HAR 1.2 as an exchange, however its tool writes, spells or omits its members. The operation is not yet set,
 * and `started_at` is NaN where the entry does not say when it began.
 * @returns the reason in words if nothing of it can be judged, as in "12 from the browser's cache"
 */
export function recordedOf(entry: Fields, attached: Attached): Recorded | string {
  const request = fieldsOf(entry["request"]);
  const response = fieldsOf(entry["response"]);
  const url = addressOf(request);
  const method = textOf(request["method"]).toUpperCase() || "GET";
  const failure = failureOf(entry, response);
  const unsuitable = unsuitableFor(entry, response, method, url, failure);
  if (unsuitable !== null) return unsuitable;
  const missing = new Set<Part>();
  const begun = begunAt(entry["startedDateTime"]);
  const duration = durationOf(entry);
  if (begun === null || !begun.isZoned) missing.add("clock");
  if (duration === null) missing.add("duration");
  const headers = headersOf(request["headers"]);
  const sent = sentOf(request, method, headers, attached);
  if (sent === null) missing.add("sent");
  const status = numberOf(response["status"]) ?? 0;
  const received = status === 0 ? null : receivedOf(response, status, method, attached);
  for (const part of received?.missing ?? []) missing.add(part);
  const isCut = received !== null && (failure !== "" || received.isCut);
  // Tools write no answer, or status 0, for pending requests too: without a failure, what the client received is unknown.
  if (isCut || (received === null && failure === "")) missing.add("body");
  return {
    exchange: {
      operation: null,
      started_at: begun?.at ?? NaN,
      duration_ms: duration ?? 0,
      request: { method, url: url!, headers, body: sent === "" ? null : sent },
      response: received && { status, headers: received.headers, body: received.body },
      error: received === null ? failure || textOf(response["statusText"]) || "no answer was recorded" : null,
    },
    missing,
    isCut,
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

/**
 * The address as URL parsers write it: host in lower case, without the port that is the default. Insomnia keeps the query
 * apart; where the address has one, it is what was sent.
 */
function addressOf(request: Fields): string | null {
  const text = textOf(request["url"]);
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = "";
  if (url.search === "") {
    for (const { name, value } of listOf(request["queryString"])) {
      if (textOf(name) !== "") url.searchParams.append(textOf(name), textOf(value));
    }
  }
  return url.href;
}

/** Why a request failed: Chrome and Safari `_error`, Playwright `_failureText`, Charles its own status. */
function failureOf(entry: Fields, response: Fields): string {
  const charles = textOf(response["_charlesStatus"]);
  return (
    textOf(response["_error"]) ||
    textOf(entry["_error"]) ||
    textOf(response["_failureText"]) ||
    (charles === "COMPLETE" ? "" : charles)
  );
}

/** Failures before anything was sent: no server saw these requests, and repeating them is harmless. */
const neverSent =
  /ERR_(BLOCKED_BY|NAME_|CONNECTION_REFUSED|CONNECTION_TIMED_OUT|INTERNET_DISCONNECTED|ADDRESS_|CERT_|SSL_|PROXY_|TUNNEL_)|ECONNREFUSED|ENOTFOUND|NS_ERROR_(UNKNOWN_HOST|CONNECTION_REFUSED)/;

function unsuitableFor(
  entry: Fields,
  response: Fields,
  method: string,
  url: string | null,
  failure: string,
): string | null {
  if (method === "CONNECT") return "tunnels of a proxy";
  if (url === null) return "without an absolute address";
  if (
    /^wss?:/.test(url) ||
    entry["_resourceType"] === "websocket" ||
    entry["_webSocketMessages"] !== undefined
  )
    return "WebSockets";
  if (!/^https?:/.test(url)) return "without an http address";
  if (isFromCache(entry, response)) return "from a cache or a service worker";
  if (entry["_wasFulfilled"] === true) return "answered by the test itself";
  if (neverSent.test(failure) && (numberOf(response["status"]) ?? 0) === 0) return "never sent";
  return null;
}

const isFromCache = (entry: Fields, response: Fields): boolean =>
  (textOf(entry["_fromCache"]) !== "" && entry["_fromCache"] !== "none") ||
  /cache|service worker/i.test(textOf(entry["_fetchType"])) ||
  isOfCache(fieldsOf(entry["cache"])) ||
  response["_fetchedViaServiceWorker"] === true ||
  response["status"] === 304;

/** Two nulls say that no cache had it (HAR 1.2); a single `afterRequest`, null or not, is Firefox's sign of its cache. */
const isOfCache = (cache: Fields): boolean =>
  isObject(cache["afterRequest"]) ||
  (cache["afterRequest"] === null && !Object.hasOwn(cache, "beforeRequest"));

/** When an entry began: ISO 8601, or seconds or milliseconds since the epoch; without a zone, only the order counts. */
function begunAt(value: unknown): { at: number; isZoned: boolean } | null {
  if (typeof value === "number" && value > 0)
    return { at: Math.round(value < 1e11 ? value * 1000 : value), isZoned: true };
  const text = textOf(value).trim();
  const isZoned = /(z|[+-]\d\d:?\d\d)$/i.test(text);
  const at = Date.parse(isZoned ? text : `${text}Z`);
  return Number.isNaN(at) ? null : { at, isZoned };
}

/** `time`, or the sum of the timings. Without a wait, or as a zero that no timing supports, it is not the whole duration. */
function durationOf(entry: Fields): number | null {
  const timings = fieldsOf(entry["timings"]);
  if (typeof timings["wait"] === "number" && timings["wait"] < 0) return null;
  const known = ["blocked", "dns", "connect", "send", "wait", "receive"].flatMap(
    (name) => numberOf(timings[name]) ?? [],
  );
  const sum = known.reduce((total, ms) => total + ms, 0);
  const time = numberOf(entry["time"]);
  if (time === null) return sum > 0 ? sum : null;
  return time === 0 && known.length > 0 ? sum || null : time;
}

/** Names in lower case, repeated names joined; pseudo headers of HTTP/2 are skipped. */
function headersOf(list: unknown): Headers {
  const headers: Headers = {};
  for (const fields of listOf(list)) {
    const name = textOf(fields["name"]).toLowerCase();
    if (name === "" || name.startsWith(":")) continue;
    const value = String(fields["value"] ?? "");
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

const lengthIn = (headers: Headers): number | null => numberOf(headers["content-length"]);

/** The body of a request; empty where none was sent, null where it was not recorded. */
function sentOf(request: Fields, method: string, headers: Headers, attached: Attached): string | null {
  const post = fieldsOf(request["postData"]);
  const file = textOf(post["_file"]);
  if (file !== "") return attached(file)?.toString("utf8") ?? null;
  // Firefox keeps a beginning of what it discarded, and says so.
  if (/not included|exceeded/i.test(textOf(post["comment"]))) return null;
  const text = textOf(post["text"]);
  if (text !== "") {
    const body = isBase64(post["encoding"] ?? post["_encoding"])
      ? Buffer.from(text, "base64").toString("utf8")
      : text;
    const length = headers["content-encoding"] === undefined ? lengthIn(headers) : null;
    return length !== null && Buffer.byteLength(body) < length && !isWholeJson(body) ? null : body;
  }
  if (listOf(post["params"]).length > 0) return null;
  const sizes = [numberOf(request["bodySize"]), lengthIn(headers)].filter((size) => size !== null);
  if (sizes.some((size) => size > 0) || headers["transfer-encoding"] !== undefined) return null;
  // Without a size, or with a type for nothing, a request of a kind that usually has a body may have had one.
  const isUnsure =
    sizes.length === 0 || (headers["content-type"] !== undefined && lengthIn(headers) === null);
  return isUnsure && method !== "GET" && method !== "HEAD" ? null : "";
}

interface Received {
  headers: Headers;
  body: string;
  missing: Part[];
  isCut: boolean;
}

function receivedOf(response: Fields, status: number, method: string, attached: Attached): Received {
  const headers = headersOf(response["headers"]);
  // Every server sends some header, so these were left out.
  const isBare = Object.keys(headers).length === 0;
  const content = fieldsOf(response["content"]);
  const bytes = contentOf(content, attached);
  const length = headers["content-encoding"] === undefined ? lengthIn(headers) : null;
  const without: Received = {
    headers,
    body: "",
    missing: isBare ? ["headers", "body"] : ["body"],
    isCut: false,
  };
  if (bytes === null || bytes.length === 0) {
    const isEmpty = method === "HEAD" || [204, 205].includes(status) || length === 0;
    return isEmpty && !isBare ? { ...without, missing: method === "HEAD" ? ["body"] : [] } : without;
  }
  const body = decoded(bytes, content, headers);
  if (body === null) return without;
  const text = body.toString("utf8");
  // The recorder kept less than it saw; or it saw less than was announced.
  const isPart = body.length < (sizeOf(content) ?? 0);
  const isCut = !isPart && length !== null && body.length < length && !lacksMark(text, length);
  if ((isPart || isCut) && !isWholeJson(text)) return { ...without, isCut };
  return { headers, body: text, missing: isBare ? ["headers"] : [], isCut: false };
}

/** Whether a text that is not JSON may lack only the byte-order mark that browsers strip. */
const lacksMark = (text: string, length: number): boolean =>
  length - Buffer.byteLength(text) === 3 && !/^\s*[{[]/.test(text);

/** Whether a text is a whole object of JSON: then nothing was cut off, and it may be shorter since secrets were masked. */
function isWholeJson(text: string): boolean {
  try {
    return text.trimEnd().endsWith("}") && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** A body without the codings that some recorders leave on; null where it cannot be decoded. */
function decoded(bytes: Buffer, content: Fields, headers: Headers): Buffer | null {
  if (!isBase64(content["encoding"]) && content["_file"] === undefined && !isUnsaid(content)) return bytes;
  try {
    return unfolded(bytes, headers["content-encoding"]);
  } catch {
    return null;
  }
}

/** The bytes of a content that were kept; null when none were. */
function contentOf(content: Fields, attached: Attached): Buffer | null {
  const file = textOf(content["_file"]);
  if (file !== "") return attached(file);
  const text = content["text"];
  if (typeof text !== "string") return null;
  return Buffer.from(text, isBase64(content["encoding"]) || isUnsaid(content) ? "base64" : "utf8");
}

const isBase64 = (encoding: unknown): boolean => textOf(encoding).toLowerCase() === "base64";

/** Whether a text is JSON in base64, although nothing says so. */
function isUnsaid({ text, encoding, mimeType }: Fields): boolean {
  if (textOf(encoding) !== "" || !/json/i.test(textOf(mimeType)) || !/^[\w+/]+=*$/.test(textOf(text)))
    return false;
  const plain = Buffer.from(textOf(text), "base64").toString("utf8");
  return /^\s*\{/.test(plain) && isWholeJson(plain);
}

/** The size of a content. mitmproxy writes the encoded one, which is off by `compression`. */
function sizeOf(content: Fields): number | null {
  const size = numberOf(content["size"]);
  const { compression } = content;
  return size !== null && typeof compression === "number" && compression < 0 ? size + compression : size;
}
