/** One moment, by both clocks. */
export interface Moment {
  /** Epoch milliseconds. */
  at: number;
  /** By `performance.now()`, to measure a duration from. */
  since: number;
}

/** A clock that is slow to read is not read more often than this. */
const maxReadings = 10;
/** Maximum time between the readings of two clocks that show one moment, in ms. */
const apartMs = 0.1;

/**
 * Now. A thread that is interrupted between the readings reads again: otherwise what begins now seems to end later
 * than what follows it.
 * @param now epoch milliseconds; by default the system clock
 */
export function moment(now: () => number = Date.now): Moment {
  for (let readings = 1; ; readings += 1) {
    const since = performance.now();
    const at = now();
    if (performance.now() - since < apartMs || readings === maxReadings) return { at, since };
  }
}
