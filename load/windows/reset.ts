import { edge, isFixed, shown, type Case } from "./case.ts";
import type { Track } from "./kind.ts";
import type { Observation } from "./observation.ts";
import { keysApart } from "./quota.ts";

const driftTitle = "X-RateLimit-Reset moves within one window";

/** A Reset that moves although nothing was admitted and it has not passed. Answers whether it does. */
export function drifting({ track, skew, find }: Case): boolean {
  const refused = track.filter(({ admitted, reset }) => !admitted && reset !== null);
  const moved: Observation[] = [];
  for (const [index, later] of refused.entries()) {
    const earlier = refused.slice(0, index).findLast(({ answeredAt }) => answeredAt <= later.sentAt);
    if (earlier === undefined || earlier.reset === later.reset) continue;
    const passed = later.answeredAt + skew.offset + skew.doubt + edge >= 1000 * earlier.reset!;
    const between = track.some(
      ({ admitted, sentAt, answeredAt }) =>
        admitted && answeredAt >= earlier.sentAt && sentAt <= later.answeredAt,
    );
    if (!passed && !between) moved.push(later);
  }
  if (moved.length === 0) return false;
  find({
    name: "reset-drifts",
    clauses: ["LIMI-15"],
    title: driftTitle,
    expected: "the same X-RateLimit-Reset until the window ends",
    received: `another one while nothing was admitted: ${moved[0]!.reset}`,
    count: moved.length,
    exchanges: shown(moved),
  });
  return true;
}

/**
 * Windows of one account that begin before the last one has ended, which fixed windows never do: each key has its own,
 * or their end moves. Answers whether it moves.
 */
export function overlapping({ track, kind, skew, length, find }: Case): boolean {
  if (!isFixed(kind)) return false;
  const overlapOf = (some: Track): Observation | undefined => {
    let end = -Infinity;
    let reset = -Infinity;
    for (const one of some.filter(({ admitted }) => admitted)) {
      if (one.reset === null || one.reset <= reset) continue;
      if (one.answeredAt + skew.offset + skew.doubt + edge < end) return one;
      reset = one.reset;
      // Reset is rounded up: the window ends in the second before it, and no sooner than a length after it began.
      const began = one.sentAt + skew.offset - skew.doubt;
      end = kind === "aligned" ? 1000 * reset : Math.max(1000 * (reset - 1), began + length - edge);
    }
    return undefined;
  };
  const first = overlapOf(track);
  if (first === undefined) return false;
  const keys = [...Map.groupBy(track, ({ key }) => key).values()];
  const apart = keys.length > 1 && keys.every((ofKey) => overlapOf(ofKey) === undefined);
  find({
    name: apart ? "counts-keys-apart" : "reset-drifts",
    clauses: apart ? ["LIMI-07"] : ["LIMI-15"],
    title: apart ? keysApart : driftTitle,
    expected: "one window of an account at a time",
    received: `X-RateLimit-Reset ${first.reset} before the window before it had ended`,
    exchanges: [first.exchange],
  });
  return !apart;
}
