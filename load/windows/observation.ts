import type { Exchange } from "../../conformance/judge/exchange.ts";
import type { LimitedOperation } from "../../generated/contract.ts";
import type { Came } from "../came.ts";

/** What an answer of a limited operation shows about its window. */
export interface Observation {
  account: string;
  /** Distinguishes the keys of the account. */
  key: string;
  operation: LimitedOperation;
  /** Epoch milliseconds by the load's clock. */
  sentAt: number;
  answeredAt: number;
  admitted: boolean;
  /** The rate-limit headers as numbers; null if absent or malformed. */
  limit: number | null;
  remaining: number | null;
  /** Epoch seconds. */
  reset: number | null;
  /** `Retry-After` as received. */
  retryAfter: string | null;
  /** The server's clock as epoch milliseconds, to the second; null if the answer has no `Date`. */
  date: number | null;
  exchange: Exchange;
}

/** A larger Reset is in milliseconds: as seconds it would lie thousands of years ahead. */
const surelyMilliseconds = 1e11;

/** Extracts the observation from an answer; null if there was none. */
export function observationOf({
  exchange,
  request,
  sentAt,
  answeredAt,
}: Pick<Came, "exchange" | "request" | "sentAt" | "answeredAt">): Observation | null {
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
    account: request.sender.account,
    key: request.sender.keyName,
    operation: request.operation as LimitedOperation,
    sentAt,
    answeredAt,
    admitted: response.status !== 429,
    limit: number("x-ratelimit-limit"),
    remaining: number("x-ratelimit-remaining"),
    // Converted to seconds, so that one fault is found only once.
    reset: reset !== null && reset > surelyMilliseconds ? Math.ceil(reset / 1000) : reset,
    retryAfter: headers["retry-after"] ?? null,
    date: Number.isNaN(date) ? null : date,
    exchange,
  };
}

/** Whether the Reset of an answer is in milliseconds. */
export const saysMilliseconds = ({ exchange }: Observation): boolean =>
  Number(exchange.response?.headers["x-ratelimit-reset"]) > surelyMilliseconds;

/** The server's clock relative to the load's. */
export interface Skew {
  /** Milliseconds to add to a time of the load. */
  offset: number;
  /** Uncertainty of the offset in milliseconds. */
  doubt: number;
}

/**
 * Estimates the difference of the clocks from the `Date` headers: each narrows the answer's time to one second, and
 * together they narrow the difference further.
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
  // If the clocks can be equal, they are assumed to be.
  if (least <= 0 && most >= 0) return { offset: 0, doubt: Math.min(250, Math.max(-least, most)) };
  return { offset: (least + most) / 2, doubt: (most - least) / 2 };
}
