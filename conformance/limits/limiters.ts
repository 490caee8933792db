import { countBelow, countUpTo } from "../judge/count-up-to.ts";
import type { Observation } from "./observation.ts";
import { Counts, fullest, isAdmitted, mayCount, resolutionMs, type Track } from "./times.ts";

/**
 * The kinds of limiters that the contract permits. `aligned`: windows at multiples of their length, the same for all
 * accounts. `first-request`: windows from the first request on. `sliding`: the window that ends now. `weighted`: aligned
 * windows, the last one counted by the share of it that the window that ends now overlaps. `token-bucket`: a whole quota
 * that refills evenly.
 */
export const lawfulKinds = ["first-request", "sliding", "token-bucket", "aligned", "weighted"] as const;
export type LawfulKind = (typeof lawfulKinds)[number];

/** A limiter by its quota and its window. */
export interface Limiter {
  quota: number;
  windowMs: number;
}

/**
 * Whether a limiter of some kind could have admitted and refused as observed. A request was counted at any time between
 * its sending and its answer, so a limiter is excluded only by what is certain. Before the track nothing was counted.
 */
export const explains: Readonly<Record<LawfulKind, (track: Track, limiter: Limiter) => boolean>> = {
  aligned: (track, limiter) => explainedBySomePhase(track, limiter, aligned),
  "first-request": firstRequest,
  sliding: (track, { quota, windowMs }) => {
    const counts = new Counts(track, windowMs);
    return (
      fullest(track, windowMs - resolutionMs).length <= quota &&
      counts.refusals.every(
        (refusal) => counts.possibleBefore(refusal, refusal.sentAt - windowMs - resolutionMs) >= quota,
      )
    );
  },
  weighted: (track, limiter) => explainedBySomePhase(track, limiter, weighted),
  "token-bucket": tokenBucket,
};

/** Whether some lawful limiter could have admitted and refused as observed. */
export const isLawful = (track: Track, limiter: Limiter): boolean =>
  lawfulKinds.some((kind) => explains[kind](track, limiter));

/** Aligned windows, of which one begins at `phase`. */
class Windows {
  readonly #phase: number;
  readonly #windowMs: number;

  constructor(phase: number, windowMs: number) {
    this.#phase = phase;
    this.#windowMs = windowMs;
  }

  indexOf(at: number): number {
    return Math.floor((at - this.#phase) / this.#windowMs);
  }

  startOf(index: number): number {
    return this.#phase + index * this.#windowMs;
  }

  /** Whether some window that a request may be in has a property. */
  some({ sentAt, answeredAt }: Observation, holds: (index: number) => boolean): boolean {
    for (let index = this.indexOf(sentAt); index <= this.indexOf(answeredAt); index += 1)
      if (holds(index)) return true;
    return false;
  }
}

type Explains = (counts: Counts, limiter: Limiter, windows: Windows) => boolean;

/** Whether windows explain a track at some of the phases that can differ: just before and after each time observed. */
function explainedBySomePhase(track: Track, limiter: Limiter, isExplained: Explains): boolean {
  const counts = new Counts(track, limiter.windowMs);
  const phases = new Set<number>();
  for (const { sentAt, answeredAt } of track)
    for (const at of [sentAt, answeredAt])
      phases.add((at - 0.01) % limiter.windowMs).add((at + 0.01) % limiter.windowMs);
  return phases.values().some((phase) => isExplained(counts, limiter, new Windows(phase, limiter.windowMs)));
}

/** The indices of the windows in which requests were admitted. */
function* admittingIn({ admitted }: Counts, windows: Windows): Generator<number> {
  for (let at = 0; at < admitted.length;) {
    const index = windows.indexOf(admitted[at]!);
    yield index;
    at = countBelow(admitted, windows.startOf(index + 1));
  }
}

function aligned(counts: Counts, { quota }: Limiter, windows: Windows): boolean {
  for (const index of admittingIn(counts, windows))
    if (counts.surelyWithin(windows.startOf(index), windows.startOf(index + 1)) > quota) return false;
  return counts.refusals.every((refusal) =>
    windows.some(
      refusal,
      (index) => counts.possibleBefore(refusal, windows.startOf(index), windows.startOf(index + 1)) >= quota,
    ),
  );
}

/** The estimate of a weighted counter may be off by one, since it rounds. */
function weighted(counts: Counts, { quota, windowMs }: Limiter, windows: Windows): boolean {
  const overlap = (index: number, at: number): number =>
    Math.min(1, Math.max(0, 1 - (at - windows.startOf(index)) / windowMs));
  const sureIn = (index: number): number =>
    counts.surelyWithin(windows.startOf(index), windows.startOf(index + 1));
  for (const index of admittingIn(counts, windows)) {
    const count = sureIn(index);
    if (count > quota) return false;
    const lastAt = counts.admitted[countBelow(counts.admitted, windows.startOf(index + 1)) - 1]!;
    if (count > 0 && sureIn(index - 1) * overlap(index, lastAt) + count > quota + 1) return false;
  }
  return counts.refusals.every((refusal) =>
    windows.some(refusal, (index) => {
      const [last, start, end] = [index - 1, index, index + 1].map((each) => windows.startOf(each)) as [
        number,
        number,
        number,
      ];
      const before = counts.possibleBefore(refusal, last, start) * overlap(index, refusal.sentAt);
      return before + counts.possibleBefore(refusal, start, end) >= quota - 1;
    }),
  );
}

/** Windows that begin with the first request after the last one has ended; they may be kept in whole seconds. */
function firstRequest(track: Track, { quota, windowMs }: Limiter): boolean {
  const counts = new Counts(track, windowMs);
  const counted = track.filter(mayCount);
  const admitted = counted.filter(isAdmitted);
  const windows: { from: number; until: number }[] = [];
  /** The times before which the last window surely has not, and after which it surely has ended. */
  let [soonest, latest] = [-Infinity, -Infinity];
  for (;;) {
    let [from, surelyFrom] = [Infinity, Infinity];
    for (const { sentAt, answeredAt } of counted)
      if (answeredAt >= soonest) from = Math.min(from, Math.max(sentAt, soonest));
    for (const { sentAt, answeredAt } of admitted)
      if (sentAt >= latest) surelyFrom = Math.min(surelyFrom, answeredAt);
    if (from === Infinity) break;
    soonest = from + windowMs - resolutionMs;
    latest = surelyFrom + windowMs + resolutionMs;
    windows.push({ from, until: latest });
    const within = admitted.filter(({ sentAt, answeredAt }) => sentAt >= surelyFrom && answeredAt < soonest);
    // The request that began the window is in it too.
    if (within.length + 1 > quota) return false;
    if (latest === Infinity) break;
  }
  return counts.refusals.every((refusal) =>
    windows.some(
      ({ from, until }) =>
        refusal.answeredAt >= from &&
        refusal.sentAt <= until &&
        counts.possibleBefore(refusal, from) >= quota,
    ),
  );
}

/** A bucket that gives back whole requests at ticks may give one more. */
const oneTick = 1;

function tokenBucket(track: Track, { quota, windowMs }: Limiter): boolean {
  const rate = quota / windowMs;
  const counts = new Counts(track, windowMs);
  const counted = track.filter(mayCount);
  const admitted = counted.filter(isAdmitted).toSorted((one, other) => one.answeredAt - other.answeredAt);
  for (const { sentAt: from } of admitted) {
    let count = 0;
    for (const { sentAt, answeredAt } of admitted) {
      if (sentAt < from) continue;
      count += 1;
      const refilled = Math.floor(rate * (answeredAt - from) + 1e-6);
      if (count > quota + oneTick + refilled) return false;
    }
  }
  const answeredBefore = counted.map(({ sentAt }) => countUpTo(counts.answered, sentAt - 1e-6));
  return counts.refusals.every((refusal) =>
    counted.some(({ sentAt, answeredAt }, at) => {
      if (sentAt > refusal.answeredAt) return false;
      const taken = counts.possibleBefore(refusal, -Infinity) - answeredBefore[at]!;
      const refilled = rate * Math.max(0, refusal.sentAt - answeredAt);
      return taken - refilled >= quota - 1 - rate * resolutionMs;
    }),
  );
}
