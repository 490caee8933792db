import { sumOf } from "../judge/credits.ts";
import { momentOf } from "../judge/instant.ts";
import { amountOf, balanceOf, type Row } from "../judge/rows.ts";

/** The balance after an entry, in credits. */
export interface BalancePoint {
  /** Epoch milliseconds. */
  at: number;
  /** As the entry states it; null where it shows none. */
  stated: number | null;
  /** As the entries until then add up to it, from the balance before the first one. */
  summed: number;
}

/** The points so far, each the last of so many entries. */
export interface CourseState {
  points: BalancePoint[];
  entriesPerPoint: number;
  last: BalancePoint | null;
  entries: number;
}

/** More than a picture shows; there are at least half as many of an account with more entries. */
const maxPoints = 600;

/** The balance of an account over its ledger, in few points however many entries it has. */
export class BalanceCourse {
  readonly #state: CourseState;

  /** @param state of an interrupted run */
  constructor(state: CourseState = { points: [], entriesPerPoint: 1, last: null, entries: 0 }) {
    this.#state = { ...state, points: [...state.points] };
  }

  get state(): CourseState {
    return this.#state;
  }

  /** The points in order of time, the newest entry's among them. */
  get points(): BalancePoint[] {
    const { points, last } = this.#state;
    return last === null || points.at(-1) === last ? points : [...points, last];
  }

  /** @param entries of one part, in any order; parts come in order of time */
  take(entries: readonly Row[]): void {
    for (const entry of entries.toSorted((one, other) => timeOf(one) - timeOf(other))) this.#add(entry);
  }

  #add(entry: Row): void {
    const state = this.#state;
    const opening = state.last?.summed ?? balanceOf(entry, "before") ?? 0;
    state.last = {
      at: Math.floor(timeOf(entry) / 1_000),
      stated: balanceOf(entry, "after") ?? null,
      summed: sumOf([opening, amountOf(entry) ?? 0]),
    };
    state.entries += 1;
    if (state.entries % state.entriesPerPoint !== 0) return;
    state.points.push(state.last);
    if (state.points.length <= maxPoints) return;
    state.points = state.points.filter((_, index) => index % 2 === 1);
    state.entriesPerPoint *= 2;
  }
}

/** In microseconds. */
const timeOf = ({ created_at: at }: Row): number => momentOf(at) ?? 0;
