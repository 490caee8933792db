import { readStored, store } from "../store.ts";
import type { Alarm } from "../trial.ts";

/** A false alarm, the points that are enough for it, and what else they raise. */
export interface LawfulAlarm extends Alarm {
  points: readonly string[];
  /** Further checks and rules, by id, that fail for the same points. */
  also?: readonly string[];
}

/** The results for the lawful points in a run. */
export interface Lawful {
  day: string;
  seed: string;
  points: number;
  /** Those that change an answer of a run; each was checked by itself against the rules. */
  met: number;
  /** The servers of many points that cover the pairs. */
  servers: number;
  /** The share of the pairs that all servers cover. */
  pairs_covered: number;
  /** The `must` checks and rules that each judged server without an alarm kept, by a digest of its points. */
  judged: Readonly<Record<string, number>>;
  /** The share of the pairs that the judged servers cover. */
  pairs_judged: number;
  alarms: readonly LawfulAlarm[];
  unfinished: readonly string[];
  /** The points that no recorded answer shows, by id; they are in no server. */
  unmet: readonly string[];
}

/** The `must` checks and rules that a judged server kept, on average. */
export const mustsKept = ({ judged }: Lawful): number => {
  const kept = Object.values(judged);
  return Math.round(kept.reduce((sum, count) => sum + count, 0) / Math.max(1, kept.length));
};

/** The stored result of the last published run. */
export const readLawful = (): Lawful => readStored("lawful");

export const storeLawful = (result: Lawful): void => store("lawful", result);
