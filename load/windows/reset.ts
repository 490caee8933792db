import { edge, isFixed, shown, type Case } from "./case.ts";
import type { Track } from "./kind.ts";
import type { Observation } from "./observation.ts";
import { keysApart } from "./quota.ts";

type Times = Pick<Case, "kind" | "skew" | "length">;

/**
 * Finds a Reset that is replaced before it has passed: either the account's keys have windows of their own, or the
 * Reset moves. Returns whether it moves.
 */
export function drifting({ track, find, ...times }: Case): boolean {
  const moved = movedIn(track, times);
  const overlapping = overlappingIn(track, times);
  if (moved.length === 0 && overlapping === undefined) return false;
  const keys = [...Map.groupBy(track, ({ key }) => key).values()];
  const apart =
    keys.length > 1 &&
    keys.every((ofKey) => movedIn(ofKey, times).length === 0 && overlappingIn(ofKey, times) === undefined);
  const first = moved[0] ?? overlapping!;
  find({
    name: apart ? "counts-keys-apart" : "reset-drifts",
    clauses: apart ? ["LIMI-07"] : ["LIMI-15"],
    title: apart ? keysApart : "X-RateLimit-Reset moves within one window",
    expected: "the same X-RateLimit-Reset until the window ends",
    received: `${first.reset} before an earlier one had come`,
    count: Math.max(1, moved.length),
    exchanges: shown(moved.length > 0 ? moved : [first]),
  });
  return !apart;
}

/**
 * Refusals whose Reset differs from that of the refusal before, although nothing was admitted in between and the
 * earlier Reset had not passed.
 */
function movedIn(track: Track, { skew }: Times): Observation[] {
  const refused = track.filter(({ admitted, reset }) => !admitted && reset !== null);
  return refused.filter((later, index) => {
    const earlier = refused.slice(0, index).findLast(({ answeredAt }) => answeredAt <= later.sentAt);
    if (earlier === undefined || earlier.reset === later.reset) return false;
    if (later.answeredAt + skew.offset + skew.doubt + edge >= 1000 * earlier.reset!) return false;
    return !track.some(
      ({ admitted, sentAt, answeredAt }) =>
        admitted && answeredAt >= earlier.sentAt && sentAt <= later.answeredAt,
    );
  });
}

/**
 * The first request admitted into a window that begins before the last one has ended, which is impossible with fixed
 * windows.
 */
function overlappingIn(track: Track, { kind, skew, length }: Times): Observation | undefined {
  if (!isFixed(kind)) return undefined;
  let end = -Infinity;
  let reset = -Infinity;
  for (const one of track) {
    if (!one.admitted || one.reset === null || one.reset <= reset) continue;
    if (one.answeredAt + skew.offset + skew.doubt + edge < end) return one;
    reset = one.reset;
    // Reset is rounded up: the window ends in the second before it, and no sooner than one length after it began.
    const began = one.sentAt + skew.offset - skew.doubt;
    end = kind === "aligned" ? 1000 * reset : Math.max(1000 * (reset - 1), began + length - edge);
  }
  return undefined;
}
