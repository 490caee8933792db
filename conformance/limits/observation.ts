import { responseHeaders, type LimitedOperation } from "../../generated/contract.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";

/** One answer of a limited operation. Times in epoch milliseconds by the observer's clock. */
export interface Observation {
  account: string;
  operation: LimitedOperation;
  /** What the request varies against the plain one of its operation; null for a plain one. */
  varied: string | null;
  /** The server counted the request between these two times. */
  sentAt: number;
  answeredAt: number;
  status: number;
  /** `unclear`: the answer may be that of a limiter or of a fault, and the request may have been counted. */
  outcome: "admitted" | "refused" | "unclear";
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

/** The sender of a request, and the times of its exchange; those that the exchange recorded by default. */
export interface Asked {
  account: string;
  operation: LimitedOperation;
  varied?: string | null;
  sentAt?: number;
  answeredAt?: number;
}

/** A larger Reset is in milliseconds: as seconds it would be thousands of years ahead. */
const surelyMilliseconds = 1e11;
/** A smaller one counts from now: as epoch seconds it would be from before there were such limiters. */
const surelyFromNow = 1e8;

const lower = (name: keyof typeof responseHeaders): string => responseHeaders[name].toLowerCase();
const names = {
  limit: lower("rateLimitLimit"),
  remaining: lower("rateLimitRemaining"),
  reset: lower("rateLimitReset"),
  retryAfter: lower("retryAfter"),
};

/** Extracts the observation from an exchange; null if there was no answer. */
export function observationOf(exchange: Exchange, asked: Asked): Observation | null {
  const { response } = exchange;
  if (response === null) return null;
  const { headers, status } = response;
  const { sentAt = exchange.started_at, varied = null } = asked;
  const reset = numberIn(headers[names.reset]);
  const date = Date.parse(headers["date"] ?? "");
  return {
    account: asked.account,
    operation: asked.operation,
    varied,
    sentAt,
    answeredAt: asked.answeredAt ?? sentAt + exchange.duration_ms,
    status,
    outcome: outcomeOf(exchange, status),
    limit: wholeIn(headers[names.limit]),
    remaining: wholeIn(headers[names.remaining]),
    reset: epochSeconds(reset),
    retryAfter: headers[names.retryAfter] ?? null,
    date: Number.isNaN(date) ? null : date,
    exchange,
  };
}

const resetIn = ({ exchange }: Observation): number | null =>
  numberIn(exchange.response?.headers[names.reset]);

/** Whether the Reset of an answer is in milliseconds. */
export const saysMilliseconds = (observation: Observation): boolean =>
  (resetIn(observation) ?? 0) > surelyMilliseconds;

/** Whether the Reset of an answer is a number of seconds from now. */
export const saysFromNow = (observation: Observation): boolean => {
  const reset = resetIn(observation);
  return reset !== null && reset >= 0 && reset < surelyFromNow;
};

/** A Reset as epoch seconds, so one in another unit is one fault, and no others follow from it. */
function epochSeconds(reset: number | null): number | null {
  if (reset === null || Math.abs(reset) < surelyFromNow) return null;
  return reset > surelyMilliseconds ? Math.ceil(reset / 1000) : reset;
}

/** `Retry-After` in whole seconds; null if absent or malformed. */
export const waitSeconds = ({ retryAfter }: Observation): number | null =>
  retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;

const wholeIn = (text: string | undefined): number | null =>
  Number.isInteger(numberIn(text)) ? numberIn(text) : null;

/** Statuses other than 429 of limiters that refuse, and those of servers that fail. */
const unclear = (status: number): boolean => status >= 500 || [401, 403, 408, 420].includes(status);

function outcomeOf(exchange: Exchange, status: number): Observation["outcome"] {
  if (status === 429) return "refused";
  if (unclear(status)) return "unclear";
  // An error object in a 200: the contract's answers of these operations have no `status` of failure.
  if (status < 300 && exchange.response!.body.length < 1000) {
    const body = jsonOf(exchange) as { status?: unknown; status_code?: unknown; error?: unknown } | undefined;
    if (body?.status === "failure" || body?.status_code === 429 || typeof body?.error === "string")
      return "unclear";
  }
  return "admitted";
}

/** The server's clock relative to the observer's. */
export interface Offset {
  /** Milliseconds to add to a time of the observer. */
  ms: number;
  /** Uncertainty in milliseconds; infinite if the server does not tell the time. */
  doubtMs: number;
  /** Whether the server's answers tell times that no single clock does. */
  contradictory: boolean;
}

/**
 * Estimates the difference of the clocks from the `Date` headers: each narrows the answer's time to one second, and
 * together they narrow the difference further.
 */
export function offsetOf(observations: readonly Observation[]): Offset {
  let least = -Infinity;
  let most = Infinity;
  for (const { date, sentAt, answeredAt } of observations) {
    if (date === null) continue;
    least = Math.max(least, date - answeredAt);
    most = Math.min(most, date + 1000 - sentAt);
  }
  if (!Number.isFinite(least) || !Number.isFinite(most))
    return { ms: 0, doubtMs: Infinity, contradictory: false };
  const ms = (least + most) / 2;
  const doubtMs = Math.abs(most - least) / 2;
  // A cached Date lags a little; more than a second apart, the answers come from two clocks.
  return { ms, doubtMs, contradictory: least - most > 1000 };
}
