import { edge, isFixed, quotaClause, shown, windowsOf, type Case } from "./case.ts";
import { within } from "./kind.ts";
import type { Observation } from "./observation.ts";

/** The finding's title where each key has its own count. */
export const keysApart = "each key of an account has a quota of its own";

/** More requests admitted in one window than the quota. */
export function tooMany({ track, kind, quota, length, operation, find }: Case): void {
  const admitted = track.filter((one) => one.admitted);
  let most: readonly Observation[] = [];
  for (const window of isFixed(kind) ? windowsOf(admitted) : [admitted]) {
    // The requests that were surely admitted within one length. Where the kind is unknown, that length may span two
    // windows.
    for (const from of window) {
      const span = window.filter(
        ({ sentAt, answeredAt }) => sentAt >= from.sentAt && answeredAt < from.sentAt + length,
      );
      if (span.length > most.length) most = span;
    }
  }
  const allowed = kind === "unknown" ? 2 * quota : quota;
  if (most.length <= allowed) return;
  const apart = areCountedApart(most);
  find({
    name: apart ? "counts-keys-apart" : "admits-too-many",
    clauses: apart ? ["LIMI-07"] : [quotaClause[operation], "LIMI-10"],
    title: apart ? keysApart : `${operation} admits more than its quota in a window`,
    expected: `at most ${quota} admitted in one window`,
    received: `${most.length} admitted`,
    count: most.length - quota,
    exchanges: shown(most.slice(quota)),
  });
}

/** A request refused although it is within the quota. */
export function tooEarly({ track, others, kind, quota, length, operation, skew, find }: Case): void {
  const early = track.filter((one) => {
    if (one.admitted) return false;
    // A refusal after the end of its window has another cause: see `promises`.
    if (one.reset !== null && 1000 * one.reset <= one.sentAt + skew.offset + edge) return false;
    const seen = within(track, one, length + edge);
    const sameWindow = isFixed(kind) ? seen.filter(({ reset }) => reset === one.reset) : seen;
    return sameWindow.length < quota;
  });
  if (early.length === 0) return;
  const window = within(track, early.at(-1)!, length).length;
  // The quota of this account was used up by another.
  const elsewhere =
    window < quota / 2 && others.some((other) => within(other, early[0]!, length).length + window >= quota);
  find({
    name: elsewhere ? "accounts-share-a-quota" : "refuses-too-early",
    clauses: elsewhere ? ["LIMI-08"] : [quotaClause[operation], "LIMI-06"],
    title: elsewhere
      ? `what one account uses up of ${operation}, another cannot use`
      : `${operation} refuses a request within the quota`,
    expected: `${quota} admitted before the first 429`,
    received: `a 429 after ${window}`,
    count: early.length,
    exchanges: shown(early),
  });
}

/**
 * Whether each key has its own count: the Remaining of a key's answers falls by one each, to the quota less what that
 * key has sent. Keys that share a count show less; a count that loses requests repeats values.
 */
export function areCountedApart(admitted: readonly Observation[]): boolean {
  const keys = [...Map.groupBy(admitted, ({ key }) => key).values()];
  return (
    keys.length > 1 &&
    keys.every((ofKey) => {
      const said = new Set(ofKey.map(({ remaining }) => remaining ?? NaN));
      if (said.size < ofKey.length) return false;
      return ofKey.length > 1 && Math.min(...said) === (ofKey[0]!.limit ?? NaN) - ofKey.length;
    })
  );
}
