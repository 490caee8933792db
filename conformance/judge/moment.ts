/** One moment, by both clocks. */
export interface Moment {
  /** Epoch milliseconds. */
  at: number;
  /** By `performance.now()`, to measure a duration from. */
  since: number;
}

/** Maximum time between the readings of two clocks that show one moment, in ms. */
const apartMs = 0.1;

/**
 * Now. A thread that is interrupted between the readings reads again: otherwise what begins now seems to end later
 * than what follows it.
 * @param now epoch milliseconds; by default the system clock
 */
export function moment(now: () => number = Date.now): Moment {
  for (;;) {
    const since = performance.now();
    const at = now();
    if (performance.now() - since < apartMs) return { at, since };
  }
}
