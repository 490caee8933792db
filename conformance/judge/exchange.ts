import { createHash } from "node:crypto";
import type { OperationId } from "../../generated/contract.ts";

/** Header names in lower case; repeated headers are joined with ", ". */
export type Headers = Record<string, string>;

/** The size of a body of which only the beginning is kept. */
export interface Cut {
  /** Characters. */
  from: number;
  sha256: string;
}

/** One request and its answer as transmitted, with secrets masked. */
export interface Exchange {
  /** The contract's operation, if method and path match one. */
  operation: OperationId | null;
  /** The sender: the label of an account, or null without a credential. */
  account: string | null;
  /** Epoch milliseconds at which the request was sent. */
  started_at: number;
  duration_ms: number;
  request: { method: string; url: string; headers: Headers; body: string | null };
  /** Null when there was no answer; `error` then says why. */
  response: { status: number; headers: Headers; body: string; cut?: Cut } | null;
  error: string | null;
}

/** Keeps only the beginning of a body and records the size of the whole. */
export function cutTo(max: number, exchange: Exchange): void {
  const { response } = exchange;
  if (response === null || response.body.length <= max) return;
  const { body } = response;
  const sha256 = createHash("sha256").update(body).digest("hex");
  // A slice would keep the whole string in memory.
  const beginning = Buffer.from(body.slice(0, max)).toString();
  exchange.response = { ...response, body: beginning, cut: { from: body.length, sha256 } };
}

/** The answer's body as JSON; undefined when it is not JSON. */
export function jsonOf(exchange: Pick<Exchange, "response">): unknown {
  return parse(exchange.response?.body);
}

/** A body as JSON, parsed when it is first asked for; undefined when it is not JSON. */
export function parsedOnce(text: string): () => unknown {
  let parsed: { json: unknown } | undefined;
  return () => (parsed ??= { json: parse(text) }).json;
}

/** The request's body as JSON; undefined when it is not JSON. */
export function sentJson({ request }: Pick<Exchange, "request">): unknown {
  return parse(request.body);
}

/** A text as JSON, where -0 is 0 and a 64-bit id stays as it is written; undefined when it is not JSON. */
function parse(text: string | null | undefined): unknown {
  if (text === undefined || text === null || text === "") return undefined;
  try {
    return JSON.parse(text, inexact.test(text) ? asWritten : undefined);
  } catch {
    return undefined;
  }
}

/** Where a JSON text may have a number that JavaScript would change: -0, or one of more than 15 digits. */
const inexact = /[:[,\s](?:-0|-?\d{16})/;

/** Whether the contract gives a member no type, so that it may be a 64-bit number. */
const isUntyped = (name: string, holder: object): boolean =>
  /^(?:credits_ledger_entry_id|source_ref_id|\w*cursor)$/.test(name) ||
  (name === "id" && "amount_credits" in holder);

function asWritten(this: object, name: string, value: unknown, context?: { source?: string }): unknown {
  if (value === 0) return 0;
  const isLong = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong && isUntyped(name, this) ? context?.source : value;
}

/** A curl command that repeats the request; a masked credential becomes a shell variable to fill in. */
export function curlOf({ request }: Exchange): string {
  const parts = ["curl -i"];
  if (request.method !== "GET") parts.push(`-X ${request.method}`);
  parts.push(quote(request.url));
  for (const [name, value] of Object.entries(request.headers)) {
    if (["host", "content-length", "connection"].includes(name)) continue;
    parts.push(
      name === "authorization" && value.startsWith("Bearer «")
        ? `-H "Authorization: Bearer $API_KEY"`
        : `-H ${quote(`${name}: ${value}`)}`,
    );
  }
  if (request.body !== null) parts.push(`--data-raw ${quote(request.body)}`);
  return parts.join(" ");
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
