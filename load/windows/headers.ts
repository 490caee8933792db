import type { ClauseId } from "../../generated/clauses.ts";
import { quotaClause, shown, type Case } from "./case.ts";
import { saysMilliseconds, type Observation } from "./observation.ts";

/** What is wrong where 0 seconds are not all that is to be waited. */
export const retryZero = "Retry-After is 0 although the window goes on";

/** A quota that is not the declared one. */
export function declaredLimit({ track, operation, quota, find }: Case): void {
  const other = track.filter(({ limit }) => limit !== null && limit !== quota);
  if (other.length === 0) return;
  find({
    name: "another-quota",
    clauses: ["LIMI-13", quotaClause[operation]],
    title: `X-RateLimit-Limit of ${operation} is not its quota`,
    expected: String(quota),
    received: String(other[0]!.limit),
    count: other.length,
    exchanges: shown(other),
  });
}

/** Faults of the headers' form, each by its name; the rules see that something is wrong, not what. */
export function forms({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const named = (
    name: string,
    clause: ClauseId,
    title: string,
    expected: string,
    received: (one: Observation) => unknown,
    among: readonly Observation[],
  ): void => {
    if (among.length === 0) return;
    find({
      name,
      clauses: [clause],
      title,
      expected,
      received: String(received(among[0]!)),
      count: among.length,
      exchanges: shown(among),
    });
  };
  named(
    "reset-in-milliseconds",
    "LIMI-15",
    "X-RateLimit-Reset is in milliseconds",
    "epoch seconds",
    ({ exchange }) => exchange.response?.headers["x-ratelimit-reset"],
    track.filter(saysMilliseconds),
  );
  named(
    "retry-after-missing",
    "ERRO-04",
    "a 429 has no Retry-After",
    "Retry-After on every 429",
    () => "none",
    refused.filter(({ retryAfter }) => retryAfter === null),
  );
  named(
    "retry-after-date",
    "LIMI-16",
    "Retry-After of a 429 is a date",
    "an integer of seconds",
    ({ retryAfter }) => retryAfter,
    refused.filter(
      ({ retryAfter }) =>
        retryAfter !== null && !Number.isNaN(Date.parse(retryAfter)) && /[a-z]/i.test(retryAfter),
    ),
  );
  named(
    "retry-after-zero",
    "LIMI-19",
    retryZero,
    "a positive integer of seconds",
    ({ retryAfter }) => retryAfter,
    refused.filter(
      ({ retryAfter, reset, answeredAt }) =>
        retryAfter !== null &&
        /^0+$/.test(retryAfter) &&
        reset !== null &&
        1000 * reset > answeredAt + skew.offset + skew.doubt + 1000,
    ),
  );
}
