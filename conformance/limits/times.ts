import { countBelow, countUpTo } from "../judge/count-up-to.ts";
import type { Observation } from "./observation.ts";

/** The observations of one account on one operation, in the order in which they were sent. */
export type Track = readonly Observation[];

/** The resolution of the contract's times in milliseconds: a server may keep whole seconds. */
export const resolutionMs = 1000;

/** Tolerance in milliseconds for a server's timers. */
export const edgeMs = 50;

export const isAdmitted = ({ outcome }: Observation): boolean => outcome === "admitted";
export const isRefused = ({ outcome }: Observation): boolean => outcome === "refused";
/** Whether the server may have counted the request against the quota. */
export const mayCount = ({ outcome }: Observation): boolean => outcome !== "refused";

/** Whether the server surely counted one request before the other. */
export const precedes = (one: Observation, other: Observation): boolean => one.answeredAt <= other.sentAt;

/** How many of a track's requests were counted between two times, possibly or surely; by search, since tracks are long. */
export class Counts {
  readonly refusals: Track;
  /** When requests that may have been counted were answered. */
  readonly answered: readonly number[];
  /** When admitted requests were answered. */
  readonly admitted: readonly number[];
  readonly #sent: readonly number[];
  readonly #surelySent: readonly number[];
  readonly #surelyAnswered: readonly number[];

  /** @param windowMs the length of the windows for `surelyWithin` */
  constructor(track: Track, windowMs: number) {
    const counted = track.filter(mayCount);
    const admitted = counted.filter(isAdmitted);
    // A request under way for longer is surely in no window.
    const short = admitted.filter(({ sentAt, answeredAt }) => answeredAt - sentAt < windowMs);
    this.refusals = track.filter(isRefused);
    this.answered = rising(counted, "answeredAt");
    this.admitted = rising(admitted, "answeredAt");
    this.#sent = rising(counted, "sentAt");
    this.#surelySent = rising(short, "sentAt");
    this.#surelyAnswered = rising(short, "answeredAt");
  }

  /** The requests that may have been counted from a time on, before another request and before `end`. */
  possibleBefore({ answeredAt }: Observation, from: number, end = Infinity): number {
    const sent = end <= answeredAt ? countBelow(this.#sent, end) : countUpTo(this.#sent, answeredAt);
    return sent - countBelow(this.answered, from);
  }

  /** The admitted requests that were surely counted from one time on until another, a window later. */
  surelyWithin(from: number, end: number): number {
    return countBelow(this.#surelyAnswered, end) - countBelow(this.#surelySent, from);
  }
}

/** The requests that may have been counted in the `ms` before an answer. */
export const countedBefore = (track: Track, { sentAt, answeredAt }: Observation, ms: number): Observation[] =>
  track.filter(
    (observation) =>
      mayCount(observation) && observation.answeredAt >= sentAt - ms && observation.sentAt <= answeredAt,
  );

/** The times of a track's requests, or of their answers, in rising order. */
export const rising = (track: Track, time: "sentAt" | "answeredAt"): number[] =>
  track.map((observation) => observation[time]).sort((one, other) => one - other);

/** The most admitted requests that were surely counted within some `ms`. */
export function fullest(track: Track, ms: number): Observation[] {
  // A request under way for longer is surely in no such time.
  const short = track.filter(
    (observation) => isAdmitted(observation) && observation.answeredAt - observation.sentAt < ms,
  );
  const [sent, answered] = [rising(short, "sentAt"), rising(short, "answeredAt")];
  let most = 0;
  let from = 0;
  for (const { sentAt } of short) {
    const count = countBelow(answered, sentAt + ms) - countBelow(sent, sentAt);
    if (count <= most) continue;
    most = count;
    from = sentAt;
  }
  return short.filter(({ sentAt, answeredAt }) => sentAt >= from && answeredAt < from + ms);
}

/** Requests admitted one after another until the limiter refused, and the refusals until it admitted again. */
export interface Round {
  admitted: Observation[];
  /** Empty if the observations end before a refusal. */
  refused: Observation[];
}

/**
 * The rounds of a track. A round ends when a request is admitted that was sent after a refusal had been answered, and
 * none of the requests in between was admitted.
 */
export function roundsOf(track: Track): Round[] {
  const rounds: Round[] = [];
  let round: Round = { admitted: [], refused: [] };
  const refusals = track.filter(isRefused);
  for (const observation of track) {
    if (isRefused(observation)) round.refused.push(observation);
    if (!isAdmitted(observation)) continue;
    const last = round.admitted.at(-1);
    const isAgain =
      last !== undefined &&
      refusals.some((refused) => precedes(refused, observation) && refused.sentAt >= last.answeredAt);
    if (isAgain) {
      rounds.push(round);
      round = { admitted: [], refused: [] };
    }
    round.admitted.push(observation);
  }
  return round.admitted.length + round.refused.length > 0 ? [...rounds, round] : rounds;
}

/**
 * Bounds of the length of fixed windows, in milliseconds. What is used up first may be in several windows, or in part
 * of one; each later round begins with its window, after the last refusal before it.
 */
export function windowOf(rounds: readonly Round[]): { minMs: number; maxMs: number } {
  const spans = rounds.slice(0, -1).map(({ admitted: [first], refused }, index) => ({
    least: refused.at(-1)!.sentAt - first!.answeredAt,
    most: rounds[index + 1]!.admitted[0]!.answeredAt - (rounds[index - 1]?.refused.at(-1) ?? first!).sentAt,
  }));
  const whole = spans.length > 1 ? spans.slice(1) : spans;
  const minMs = Math.max(...whole.map(({ least }) => least));
  return { minMs, maxMs: Math.max(minMs, Math.min(...whole.map(({ most }) => most))) };
}
