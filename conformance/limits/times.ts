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

/** The requests that may have been counted in the `ms` before an answer. */
export const countedBefore = (track: Track, { sentAt, answeredAt }: Observation, ms: number): Observation[] =>
  track.filter(
    (observation) =>
      mayCount(observation) && observation.answeredAt >= sentAt - ms && observation.sentAt <= answeredAt,
  );

/** The most admitted requests that were surely counted within some `ms`. */
export function fullest(track: Track, ms: number): Observation[] {
  const admitted = track.filter(isAdmitted);
  let most: Observation[] = [];
  for (const { sentAt } of admitted) {
    const span = admitted.filter(
      (observation) => observation.sentAt >= sentAt && observation.answeredAt < sentAt + ms,
    );
    if (span.length > most.length) most = span;
  }
  return most;
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
  for (const observation of track) {
    if (isRefused(observation)) round.refused.push(observation);
    if (!isAdmitted(observation)) continue;
    const last = round.admitted.at(-1);
    const between = track.filter(
      (other) =>
        isRefused(other) &&
        precedes(other, observation) &&
        (last === undefined || other.sentAt >= last.answeredAt),
    );
    if (round.admitted.length > 0 && between.length > 0) {
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
