import { countUpTo } from "../judge/count-up-to.ts";
import type { Observation } from "./observation.ts";
import { fullest, isAdmitted, isRefused, mayCount, resolutionMs, type Track } from "./times.ts";

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
  aligned: (track, limiter) => phasesOf(track, limiter).some((phase) => aligned(track, limiter, phase)),
  "first-request": firstRequest,
  sliding: (track, { quota, windowMs }) =>
    fullest(track, windowMs - resolutionMs).length <= quota &&
    track.filter(isRefused).every((observation) => {
      const from = observation.sentAt - windowMs - resolutionMs;
      return (
        countOf(track, ({ answeredAt, sentAt }) => answeredAt >= from && sentAt <= observation.answeredAt) >=
        quota
      );
    }),
  weighted: (track, limiter) => phasesOf(track, limiter).some((phase) => weighted(track, limiter, phase)),
  "token-bucket": tokenBucket,
};

/** Whether some lawful limiter could have admitted and refused as observed. */
export const isLawful = (track: Track, limiter: Limiter): boolean =>
  lawfulKinds.some((kind) => explains[kind](track, limiter));

const countOf = (track: Track, holds: (observation: Observation) => boolean): number =>
  track.filter((observation) => mayCount(observation) && holds(observation)).length;

/** The phases of aligned windows that can differ in what they explain: just before and after each time observed. */
function phasesOf(track: Track, { windowMs }: Limiter): number[] {
  const phases = new Set<number>();
  for (const { sentAt, answeredAt } of track)
    for (const at of [sentAt, answeredAt]) phases.add((at - 0.01) % windowMs).add((at + 0.01) % windowMs);
  return [...phases];
}

/** How many requests each aligned window surely holds, and the sending times of those that it may hold. */
function tally(track: Track, { windowMs }: Limiter, phase: number) {
  const indexOf = (at: number): number => Math.floor((at - phase) / windowMs);
  const sure = new Map<number, number>();
  const possible = new Map<number, number[]>();
  for (const observation of track) {
    if (!mayCount(observation)) continue;
    const [first, last] = [indexOf(observation.sentAt), indexOf(observation.answeredAt)];
    if (first === last && isAdmitted(observation)) sure.set(first, (sure.get(first) ?? 0) + 1);
    for (let index = first; index <= last; index += 1) {
      const sent = possible.get(index);
      if (sent === undefined) possible.set(index, [observation.sentAt]);
      else sent.push(observation.sentAt);
    }
  }
  /** The requests that the window may have counted before a refusal. */
  const before = (index: number, { answeredAt }: Observation): number =>
    countUpTo(possible.get(index) ?? [], answeredAt);
  /** Whether some window that a refusal may be in had reason for it. */
  const everyRefusal = (holds: (index: number, refused: Observation) => boolean): boolean =>
    track.every((observation) => {
      if (!isRefused(observation)) return true;
      for (let index = indexOf(observation.sentAt); index <= indexOf(observation.answeredAt); index += 1)
        if (holds(index, observation)) return true;
      return false;
    });
  return { indexOf, sure, before, everyRefusal };
}

function aligned(track: Track, limiter: Limiter, phase: number): boolean {
  const { sure, before, everyRefusal } = tally(track, limiter, phase);
  for (const count of sure.values()) if (count > limiter.quota) return false;
  return everyRefusal((index, refused) => before(index, refused) >= limiter.quota);
}

/** The estimate of a weighted counter may be off by one, since it rounds. */
function weighted(track: Track, limiter: Limiter, phase: number): boolean {
  const { quota, windowMs } = limiter;
  const { indexOf, sure, before, everyRefusal } = tally(track, limiter, phase);
  for (const count of sure.values()) if (count > quota) return false;
  const overlap = (index: number, at: number): number =>
    Math.min(1, Math.max(0, 1 - (at - phase - index * windowMs) / windowMs));
  for (const [index, count] of sure) {
    const last = track.findLast(
      (observation) => isAdmitted(observation) && indexOf(observation.answeredAt) === index,
    )!;
    if ((sure.get(index - 1) ?? 0) * overlap(index, last.answeredAt) + count > quota + 1) return false;
  }
  return everyRefusal((index, refused) => {
    const last = before(index - 1, refused) * overlap(index, refused.sentAt);
    return last + before(index, refused) >= quota - 1;
  });
}

/** Windows that begin with the first request after the last one has ended; they may be kept in whole seconds. */
function firstRequest(track: Track, { quota, windowMs }: Limiter): boolean {
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
  return track
    .filter(isRefused)
    .every((refused) =>
      windows.some(
        ({ from, until }) =>
          refused.answeredAt >= from &&
          refused.sentAt <= until &&
          countOf(
            counted,
            (observation) => observation.answeredAt >= from && observation.sentAt <= refused.answeredAt,
          ) >= quota,
      ),
    );
}

/** A bucket that gives back whole requests at ticks may give one more. */
const oneTick = 1;

function tokenBucket(track: Track, { quota, windowMs }: Limiter): boolean {
  const rate = quota / windowMs;
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
  return track.filter(isRefused).every((refused) => {
    const before = counted.filter(({ sentAt }) => sentAt <= refused.answeredAt);
    const answers = before.map(({ answeredAt }) => answeredAt).sort((one, other) => one - other);
    return before.some(({ sentAt, answeredAt }) => {
      const taken = answers.length - countUpTo(answers, sentAt - 1e-6);
      const refilled = rate * Math.max(0, refused.sentAt - answeredAt);
      return taken - refilled >= quota - 1 - rate * resolutionMs;
    });
  });
}
