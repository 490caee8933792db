import { edge, isFixed, shown, windowsOf, type Case } from "./case.ts";
import { within } from "./kind.ts";
import type { Observation } from "./observation.ts";
import { areCountedApart, keysApart } from "./quota.ts";

/** Remaining counts each admitted request of its own account exactly once, down to 0. */
export function remaining(one: Case): void {
  for (const window of windowsOf(one.track)) {
    const { skew } = one;
    const admitted = window.filter(
      ({ admitted, remaining, reset, answeredAt }) =>
        admitted &&
        remaining !== null &&
        // From the second before Reset on, a window may have ended or slid, and Remaining may rise.
        answeredAt + skew.offset + skew.doubt < 1000 * (reset! - 1),
    );
    const values = new Set(admitted.map(({ remaining }) => remaining!));
    if (admitted.length >= 3 && values.size === 1) return stuck(one, admitted);
    lost(one, admitted, values);
    unused(one, window, admitted, values);
  }
  foreign(one);
}

function stuck({ find }: Case, admitted: readonly Observation[]): void {
  find({
    name: "remaining-stuck",
    clauses: ["LIMI-18"],
    title: "X-RateLimit-Remaining does not fall",
    expected: `${admitted.length} values, each one less`,
    received: `${admitted[0]!.remaining} on all ${admitted.length} answers`,
    exchanges: shown(admitted),
  });
}

/** Whether two requests of a window were counted as one. */
function lost(
  { operation, find }: Case,
  admitted: readonly Observation[],
  values: ReadonlySet<number>,
): void {
  // Requests admitted beyond the quota all show 0; another finding covers them.
  const counted = admitted.filter(({ remaining }) => remaining! > 0);
  if (new Set(counted.map(({ remaining }) => remaining)).size === counted.length) return;
  const apart = areCountedApart(admitted);
  find({
    name: apart ? "counts-keys-apart" : "counter-loses-requests",
    clauses: apart ? ["LIMI-07"] : ["LIMI-10", "LIMI-18"],
    title: apart ? keysApart : `${operation} counts requests at the same time only once`,
    expected: `${admitted.length} different values of X-RateLimit-Remaining in one window`,
    received: `${values.size}`,
    count: admitted.length - values.size,
    exchanges: shown(
      admitted.filter(
        (one, index) => admitted.findIndex((other) => other.remaining === one.remaining) < index,
      ),
    ),
  });
}

/** Whether a window refused a request while some of its quota remained. */
function unused(
  { kind, quota, find }: Case,
  window: readonly Observation[],
  admitted: readonly Observation[],
  values: ReadonlySet<number>,
): void {
  const refused = window.filter((one) => !one.admitted);
  const least = Math.min(...values);
  if (!isFixed(kind) || refused.length === 0 || admitted.length < quota || least <= 0) return;
  find({
    name: "remaining-not-used-up",
    clauses: ["LIMI-18"],
    title: "a request is refused although X-RateLimit-Remaining never came to 0",
    expected: "X-RateLimit-Remaining 0 before the first 429",
    received: `${least}`,
    exchanges: shown(refused),
  });
}

/** Whether requests were counted that the account has not sent. */
function foreign({ track, operation, length, find }: Case): void {
  const found = track.filter((one) => {
    if (!one.admitted || one.limit === null || one.remaining === null) return false;
    return one.limit - one.remaining > within(track, one, length + edge).length;
  });
  const [first] = found;
  if (first === undefined) return;
  find({
    name: "counts-what-was-not-sent",
    clauses: ["LIMI-08", "LIMI-09"],
    title: `${operation} counts more requests than this account has sent to it`,
    expected: `${within(track, first, length).length} counted`,
    received: `${first.limit! - first.remaining!} counted`,
    count: found.length,
    exchanges: shown(found),
  });
}
