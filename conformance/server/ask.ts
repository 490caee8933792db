import type { Query } from "../books/listed.ts";
import type { Headers } from "../judge/exchange.ts";

export type { Query };

/** The parts of a request of an operation. */
export interface Ask {
  /** The operation's path parameter. */
  parameter?: string;
  query?: Query;
  /** Sent as JSON; a string is sent verbatim, to send invalid JSON on purpose. */
  body?: unknown;
  headers?: Headers;
  /** Returns a 429 to the check instead of waiting. */
  impatient?: boolean;
  /** The base URL of another address of the server. */
  at?: string;
}
