import { hourMs, ceilMs, type Window } from "./window.ts";

/** Epoch milliseconds, both ends inclusive; null for an unbounded end. Empty if `from` is after `to`. */
export interface Range {
  from: number | null;
  to: number | null;
}

/** The whole milliseconds inside a window. */
export const rangeOf = (window: Window): Range => ({
  from: window.start && ceilMs(window.start),
  to: window.end && window.end.ms,
});

/** How a range is read: whole hours from the rollups, and edges to scan. */
interface Split {
  /** Starts of the first and the last hour to read from the rollups; null if there is none. */
  hours: Range | null;
  scans: Range[];
}

const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

/**
 * Splits a range into whole hours and edges. A partial hour counts as whole if the part outside the range has no
 * records, so that a range that ends now needs no scan of the current hour.
 * @param anyBetween whether the account has a record in the range, both ends inclusive
 */
export async function splitHours(
  { from, to }: Range,
  anyBetween: (from: number, to: number) => Promise<boolean>,
): Promise<Split> {
  const hours: Range = { from: null, to: null };
  if (from !== null) {
    const hour = hourOf(from);
    hours.from = hour === from || !(await anyBetween(hour, from - 1)) ? hour : hour + hourMs;
  }
  if (to !== null) {
    const hour = hourOf(to);
    const last = hour + hourMs - 1;
    hours.to = last === to || !(await anyBetween(to + 1, last)) ? hour : hour - hourMs;
  }
  if (hours.from !== null && hours.to !== null && hours.from > hours.to) {
    return { hours: null, scans: [{ from, to }] };
  }
  const scans: Range[] = [];
  if (from !== null && hours.from !== null && hours.from > from) scans.push({ from, to: hours.from - 1 });
  if (to !== null && hours.to !== null && hours.to + hourMs <= to)
    scans.push({ from: hours.to + hourMs, to });
  return { hours, scans };
}
