import type { Exchange } from "../../conformance/judge/exchange.ts";
import type { Limited } from "../../conformance/subject/windows.ts";
import type { Came } from "../came.ts";

/** What one answer of a limited operation says about its window. */
export interface Observation {
  account: string;
  /** Tells the keys of the account apart. */
  key: string;
  operation: Limited;
  /** Epoch milliseconds, by the clock of the load. */
  sentAt: number;
  answeredAt: number;
  admitted: boolean;
  /** The rate-limit headers as numbers; null where they are absent or none. */
  limit: number | null;
  remaining: number | null;
  /** Epoch seconds. */
  reset: number | null;
  /** `Retry-After` as it came. */
  retryAfter: string | null;
  /** The server's clock, whole seconds as epoch milliseconds; null where it does not say. */
  date: number | null;
  exchange: Exchange;
}

/** A reset larger than this is in milliseconds: as seconds it would lie thousands of years ahead. */
const surelyMilliseconds = 1e11;

/** What an answer shows; null when no answer came. */
export function observationOf({
  exchange,
  planned,
  sentAt,
  answeredAt,
}: Omit<Came, "asked">): Observation | null {
  const { response } = exchange;
  if (response === null) return null;
  const { headers } = response;
  const number = (name: string): number | null => {
    const text = headers[name];
    return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  };
  const reset = number("x-ratelimit-reset");
  const date = Date.parse(headers["date"] ?? "");
  return {
    account: planned.sender.account,
    key: planned.sender.keyName,
    operation: planned.operation as Limited,
    sentAt,
    answeredAt,
    admitted: response.status !== 429,
    limit: number("x-ratelimit-limit"),
    remaining: number("x-ratelimit-remaining"),
    // Read as it was meant, so that one fault is found once.
    reset: reset !== null && reset > surelyMilliseconds ? Math.ceil(reset / 1000) : reset,
    retryAfter: headers["retry-after"] ?? null,
    date: Number.isNaN(date) ? null : date,
    exchange,
  };
}

/** Whether an answer says its Reset in milliseconds. */
export const saysMilliseconds = ({ exchange }: Observation): boolean =>
  Number(exchange.response?.headers["x-ratelimit-reset"]) > surelyMilliseconds;

/** The server's clock against that of the load. */
export interface Skew {
  /** Milliseconds to add to a time of the load. */
  offset: number;
  /** By how much that may be wrong. */
  doubt: number;
}

/**
 * The difference of the clocks, as narrow as the `Date` headers allow: each says a second within which the answer was
 * given, and together they leave little room.
 */
export function skewOf(observations: readonly Observation[]): Skew {
  let least = -Infinity;
  let most = Infinity;
  for (const { date, sentAt, answeredAt } of observations) {
    if (date === null) continue;
    least = Math.max(least, date - answeredAt);
    most = Math.min(most, date + 1000 - sentAt);
  }
  if (least > most || !Number.isFinite(least) || !Number.isFinite(most)) return { offset: 0, doubt: 1000 };
  // Where the clocks can be the same they are taken to be.
  if (least <= 0 && most >= 0) return { offset: 0, doubt: Math.min(250, Math.max(-least, most)) };
  return { offset: (least + most) / 2, doubt: (most - least) / 2 };
}
