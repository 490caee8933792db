import type { Headers } from "../judge/exchange.ts";

/** Query parameters; a list becomes repeated names, undefined is omitted. */
export type Query = Record<string, string | number | boolean | undefined>;

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
}
