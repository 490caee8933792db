import { TooLarge, unfolded } from "../judge/content-coding.ts";
import type { Headers } from "../judge/exchange.ts";
import type { Missing, Part } from "../judge/missing.ts";
import { operationAt } from "./har-entry.ts";
import type { Unmasked } from "./masking.ts";

/** What the proxy forwarded, in raw form: unparsed, unmasked, and transferable to another thread. */
export interface Crossed {
  /** Epoch milliseconds at which the request arrived. */
  startedAt: number;
  durationMs: number;
  method: string;
  url: string;
  /** Names and values, alternating. */
  headers: string[];
  sent: Uint8Array<ArrayBuffer>;
  /** Null when there was no complete answer; `error` then says why. */
  answer: { status: number; headers: string[]; body: Uint8Array<ArrayBuffer> } | null;
  error: string | null;
  /** Bodies that were not kept whole, so that rules about them do not apply. */
  missing: Part[];
}

/** A forwarded exchange with its content codings removed. */
export interface Read {
  exchange: Unmasked;
  missing: Missing;
  /** Why the answer would exhaust memory, as "the body is …"; null when it would not. */
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
    missing: new Set(
      answer !== null && (body === null || method === "HEAD")
        ? [...crossed.missing, "body"]
        : crossed.missing,
    ),
    tooLarge,
  };
}

const textOf = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

type Text = Pick<Read, "tooLarge"> & { body: string | null };
const noBody: Text = { body: null, tooLarge: null };

/** No body if it is not encoded as its header says, or exceeds the limit when decoded. */
function unfoldedText(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Text {
  try {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { body: unfolded(whole, headers["content-encoding"]).toString("utf8"), tooLarge: null };
  } catch (error) {
    return { body: null, tooLarge: error instanceof TooLarge ? error.message : null };
  }
}

/** Names in lower case; repeated headers are joined. */
function joined(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const value = raw[index + 1]!;
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
