import type { Observation, Skew } from "./observation.ts";

/**
 * The kind of a server's windows. `fixed`: aligned or first-request, which the answers do not distinguish; `unknown`:
 * the answers do not show the kind.
 */
export type WindowKind = "aligned" | "first-request" | "sliding" | "fixed" | "unknown";

/** A description of each kind. */
export const kindWords: Readonly<Record<WindowKind, string>> = {
  aligned: "aligned: on whole multiples of their length, for everybody alike",
  "first-request": "first-request: from an account's first request on",
  sliding: "sliding: the window that ends now",
  fixed: "fixed, aligned or from the first request",
  unknown: "not recognised: the answers do not say enough",
};

/** The observations of one account on one operation, in the order of their answers. */
export type Track = readonly Observation[];

/** The tracks of a run: one for each account and operation. */
export function tracksOf(observations: readonly Observation[]): Track[] {
  const tracks = Map.groupBy(observations, ({ account, operation }) => `${operation} ${account}`);
  return [...tracks.values()].map((track) =>
    track.toSorted((one, other) => one.answeredAt - other.answeredAt),
  );
}

/** The admitted requests that may lie in the window of an answer, for windows of at most `length` ms. */
export const within = (track: Track, { sentAt, answeredAt }: Observation, length: number): Observation[] =>
  track.filter((one) => one.admitted && one.answeredAt >= sentAt - length && one.sentAt <= answeredAt);

/**
 * Recognises the kind of windows. Sliding: requests still count after their Reset has passed. Aligned: an account's
 * first request has a Reset less than a window ahead. Otherwise: first-request.
 */
export function recognise(tracks: readonly Track[], windowSeconds: number, skew: Skew): WindowKind {
  const length = 1000 * windowSeconds;
  let starts = 0;
  let aligned = false;
  for (const track of tracks) {
    const groups = Map.groupBy(
      track.filter(({ admitted, reset }) => admitted && reset !== null),
      ({ reset }) => reset!,
    );
    let before: number | null = null;
    for (const [reset, group] of groups) {
      const first = group[0]!;
      // Reset is rounded up, so the actual end lies within the second before it.
      const ended = before === null || first.answeredAt + skew.offset + skew.doubt >= 1000 * (before - 1);
      if (before !== null && ended && stillCounts(track, group, length)) return "sliding";
      if (ended) {
        starts += 1;
        aligned ||= 1000 * reset + skew.doubt + 20 < first.sentAt + skew.offset + length;
      }
      before = reset;
    }
  }
  if (aligned) return "aligned";
  if (starts === 0) return "unknown";
  return starts === 1 ? "fixed" : "first-request";
}

/** Whether an answer counts more requests than its window has had, and no more than a sliding window would. */
function stillCounts(track: Track, group: readonly Observation[], length: number): boolean {
  return group.some((one) => {
    if (one.limit === null || one.remaining === null) return false;
    const counted = one.limit - one.remaining;
    const own = group.filter(({ sentAt }) => sentAt <= one.answeredAt).length;
    return counted > own && counted <= within(track, one, length).length;
  });
}
