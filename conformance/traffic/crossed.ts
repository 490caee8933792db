import { TooLarge, unfolded } from "../judge/content-coding.ts";
import type { Headers } from "../judge/exchange.ts";
import { operationAt } from "./har-entry.ts";
import type { Unmasked } from "./masking.ts";

/** What crossed the proxy, as it came: unread, unmasked, and made of what another thread can be given. */
export interface Crossed {
  /** Epoch milliseconds at which the request came. */
  startedAt: number;
  durationMs: number;
  method: string;
  url: string;
  /** Names and values in turn. */
  headers: string[];
  sent: Uint8Array<ArrayBuffer>;
  /** Null when no whole answer came; then `error` says why. */
  answer: { status: number; headers: string[]; body: Uint8Array<ArrayBuffer> } | null;
  error: string | null;
  /** A body is not whole, so that rules about bodies cannot be held against it. */
  partial: boolean;
}

/** What crossed as an exchange, its content coding undone. */
export interface Read {
  exchange: Unmasked;
  partial: boolean;
  /** Why the answer would fill the memory of whoever reads it, as "the body is …"; null where it would not. */
  tooLarge: string | null;
}

export function readCrossed(crossed: Crossed, baseUrl: string): Read {
  const { method, url, answer } = crossed;
  const sent = textOf(crossed.sent);
  const headers = answer === null ? {} : joined(answer.headers);
  const { body, tooLarge } = answer === null ? noBody : unfoldedText(answer.body, headers);
  return {
    exchange: {
      operation: operationAt(method, url, baseUrl),
      started_at: crossed.startedAt,
      duration_ms: Math.round(crossed.durationMs * 1000) / 1000,
      request: { method, url, headers: joined(crossed.headers), body: sent === "" ? null : sent },
      response: answer && { status: answer.status, headers, body: body ?? "" },
      error: crossed.error,
    },
    partial: crossed.partial || (answer !== null && (body === null || method === "HEAD")),
    tooLarge,
  };
}

const textOf = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

type Text = Pick<Read, "tooLarge"> & { body: string | null };
const noBody: Text = { body: null, tooLarge: null };

/** No body when it is not encoded as its header says, or unfolds to more than is kept. */
function unfoldedText(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Text {
  try {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { body: unfolded(whole, headers["content-encoding"]).toString("utf8"), tooLarge: null };
  } catch (error) {
    return { body: null, tooLarge: error instanceof TooLarge ? error.message : null };
  }
}

/** Names in lower case; a header that came several times is joined. */
function joined(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const value = raw[index + 1]!;
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
