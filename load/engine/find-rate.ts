/** The result of a trial of a rate. */
export interface Trial {
  rate: number;
  /** Whether the condition was kept. */
  kept: boolean;
  /** Why the trial says nothing about the server, if so. */
  invalid?: string;
  /** The measurement, for people. */
  says: string;
}

export interface RateSearch {
  /** Tries a rate. */
  attempt: (rate: number) => Promise<Trial>;
  first: number;
  /** No higher rate is tried. */
  max: number;
  /** The search ends when the highest rate that was kept and the lowest that was not are so close, as a ratio. */
  precision?: number;
}

export interface FoundRate {
  /** The highest rate that kept the condition; null if none did. */
  highest: Trial | null;
  /** The lowest rate that did not; null if the search ended below it. */
  lowestMissed: Trial | null;
  trials: Trial[];
  /** Why the search ended before it found a rate that does not keep the condition. */
  endedBy: string | null;
}

/**
 * Finds the highest rate that keeps a condition: doubles the rate up to one that does not, then halves the distance. A
 * rate is missed, or ends the search, only by a second trial too, since one pause of a machine is not a limit.
 */
export async function findRate({ attempt, first, max, precision = 1.1 }: RateSearch): Promise<FoundRate> {
  const found: FoundRate = { highest: null, lowestMissed: null, trials: [], endedBy: null };
  const tried = async (rate: number): Promise<Trial> => {
    const trial = await attempt(rate);
    found.trials.push(trial);
    return trial;
  };
  let rate = Math.min(first, max);
  for (;;) {
    let trial = await tried(rate);
    if (!trial.kept || trial.invalid !== undefined) trial = await tried(rate);
    if (trial.invalid !== undefined) {
      found.endedBy = trial.invalid;
      return found;
    }
    if (trial.kept) found.highest = trial;
    else found.lowestMissed = trial;
    const low = found.highest?.rate ?? 0;
    const high = found.lowestMissed?.rate ?? Infinity;
    if (high === Infinity) {
      if (low >= max) {
        found.endedBy = `no higher rate than ${max.toPrecision(3)} can be tried`;
        return found;
      }
      rate = Math.min(2 * low, max);
    } else {
      if (high / Math.max(low, first / 64) <= precision) return found;
      rate = low === 0 ? high / 2 : Math.sqrt(low * high);
    }
  }
}
