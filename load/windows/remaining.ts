import { edge, isFixed, shown, windowsOf, type Case } from "./case.ts";
import { within } from "./kind.ts";
import { areCountedApart, keysApart } from "./quota.ts";

/** Remaining counts each admitted request of its own account exactly once, down to 0. */
export function remaining({ track, kind, quota, length, operation, skew, find }: Case): void {
  for (const window of windowsOf(track)) {
    const admitted = window.filter(
      (one) =>
        one.admitted &&
        one.remaining !== null &&
        // From the second before Reset on, a window may have ended or slid, and Remaining may rise.
        one.answeredAt + skew.offset + skew.doubt < 1000 * (one.reset! - 1),
    );
    const values = new Set(admitted.map((one) => one.remaining));
    if (admitted.length >= 3 && values.size === 1) {
      find({
        name: "remaining-stuck",
        clauses: ["LIMI-18"],
        title: "X-RateLimit-Remaining does not fall",
        expected: `${admitted.length} values, each one less`,
        received: `${admitted[0]!.remaining} on all ${admitted.length} answers`,
        exchanges: shown(admitted),
      });
      return;
    }
    // Requests admitted beyond the quota all show 0; another finding covers them.
    const counted = admitted.filter((one) => one.remaining! > 0);
    if (new Set(counted.map((one) => one.remaining)).size < counted.length) {
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
    const refused = window.some((one) => !one.admitted);
    const least = Math.min(...[...values].map(Number));
    if (isFixed(kind) && refused && admitted.length >= quota && least > 0) {
      find({
        name: "remaining-not-used-up",
        clauses: ["LIMI-18"],
        title: "a request is refused although X-RateLimit-Remaining never came to 0",
        expected: "X-RateLimit-Remaining 0 before the first 429",
        received: `${least}`,
        exchanges: shown(window.filter((one) => !one.admitted)),
      });
    }
  }
  const foreign = track.filter((one) => {
    if (!one.admitted || one.limit === null || one.remaining === null) return false;
    return one.limit - one.remaining > within(track, one, length + edge).length;
  });
  if (foreign.length === 0) return;
  const [first] = foreign;
  find({
    name: "counts-what-was-not-sent",
    clauses: ["LIMI-08", "LIMI-09"],
    title: `${operation} counts more requests than this account has sent to it`,
    expected: `${within(track, first!, length).length} counted`,
    received: `${first!.limit! - first!.remaining!} counted`,
    count: foreign.length,
    exchanges: shown(foreign),
  });
}
