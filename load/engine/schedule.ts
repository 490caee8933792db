import { WrongUse } from "../../base/exit.ts";

/** A part of a schedule: the rate changes evenly from that of the stage before, in starts per second. */
export interface Stage {
  seconds: number;
  rate: number;
}

/** When the work of an open loop starts. */
export interface Schedule {
  /** The number of starts. */
  total: number;
  seconds: number;
  /** The start of the work with an index, in milliseconds from the beginning. */
  startMs(index: number): number;
}

/** A fixed rate for some time. */
export const steady = (rate: number, seconds: number): Stage[] => [
  { seconds: 0, rate },
  { seconds, rate },
];

/** A schedule from stages. The rate is 0 before the first; a stage of 0 s is a step. */
export function scheduleOf(stages: readonly Stage[]): Schedule {
  const ramps: { fromMs: number; fromIndex: number; from: number; to: number; seconds: number }[] = [];
  let [elapsed, starts, rate] = [0, 0, 0];
  for (const { seconds, rate: to } of stages) {
    if (seconds > 0) ramps.push({ fromMs: 1000 * elapsed, fromIndex: starts, from: rate, to, seconds });
    starts += ((rate + to) / 2) * seconds;
    elapsed += seconds;
    rate = to;
  }
  const startMs = (index: number): number => {
    const { fromMs, fromIndex, from, to, seconds } =
      ramps.findLast((ramp) => ramp.fromIndex <= index && (ramp.from > 0 || ramp.to > 0)) ?? ramps[0]!;
    const later = index - fromIndex;
    const growth = (to - from) / seconds;
    // The time after which the integral of from + growth × time is the number of later starts.
    const after =
      growth === 0
        ? later / from
        : (Math.sqrt(Math.max(0, from * from + 2 * growth * later)) - from) / growth;
    return fromMs + 1000 * after;
  };
  return { total: Math.max(1, Math.round(starts)), seconds: elapsed, startMs };
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Reads a stage, such as `30s:200`: within 30 seconds the rate becomes 200 a second.
 * @throws WrongUse that says what would be right
 */
export function parseStage(text: string, name: string): Stage {
  const [, amount, unit, rate] = /^(\d+(?:\.\d+)?)([smh]):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (amount === undefined)
    throw new WrongUse(
      `${name} must be a time and a rate, such as 30s:200 or 2m:50, not ${JSON.stringify(text)}.`,
    );
  return { seconds: Number(amount) * units[unit!]!, rate: Number(rate) };
}
