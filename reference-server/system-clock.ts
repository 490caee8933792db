import { contractVersion } from "../generated/contract.ts";
import type { Clock } from "./parts.ts";

/** A leap in ms that neither a correction of a machine's clock nor the sleep of a machine explains. */
export const leapMs = 366 * 24 * 3_600_000;

/** No right clock shows an earlier time than the contract's own date. */
const earliest = Date.parse(contractVersion.slice(0, 10));

/**
 * Wall time; after a jump of a year or more, monotonic time, so that nothing is written decades in the future. A clock
 * that was wrong from the start, before the contract's own date, may jump to the right time.
 * @param wall the machine's time in epoch ms
 * @param steady ms of a clock that is never set
 */
export function believableClock(wall: () => number, steady: () => number): Clock {
  let believed = { at: wall(), steady: steady() };
  return {
    now() {
      const measured = { at: believed.at + (steady() - believed.steady), steady: steady() };
      const shown = wall();
      const leaps = measured.at >= earliest && Math.abs(shown - measured.at) >= leapMs;
      believed = leaps ? measured : { ...measured, at: shown };
      return Math.floor(believed.at);
    },
  };
}

/** The time of this machine. */
export const systemClock = believableClock(
  () => Date.now(),
  () => performance.now(),
);
