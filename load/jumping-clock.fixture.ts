import type { Change } from "../conformance/proof/mutant.ts";
import { createLimiter } from "../reference-server/http/limiter.ts";
import { machineClock, type Clock } from "./clock.ts";

/**
 * A clock that runs like the machine's, but jumps over pauses: minutes of windows pass in no time, and a burst lies
 * within one however busy the machine is. For one flow at a time: a pause of one would jump over what another does.
 * @param phase milliseconds of a minute at which it begins
 */
export function jumpingClock(phase: number): Clock {
  let jumped = phase - (machineClock.now() % 60_000);
  return {
    now: () => machineClock.now() + jumped,
    pause: (milliseconds) => {
      jumped += Math.max(0, milliseconds);
      return machineClock.pause(0);
    },
  };
}

/** A server whose windows, and whose `Date`, go by a clock; and what else is changed of it. */
export function goingBy(clock: Clock, change: Change): Change {
  const { windowSeconds = 60, windowKind: kind = "aligned" } = change.config ?? {};
  const now = (): number => Math.floor(clock.now());
  return {
    ...change,
    parts: (parts) => {
      const timed = {
        ...parts,
        clock: { now },
        limiter: createLimiter({ clock: { now }, windowSeconds, kind }),
      };
      return change.parts?.(timed) ?? timed;
    },
    wire: (request, answer) => {
      const dated = { ...answer, headers: { ...answer.headers, date: new Date(now()).toUTCString() } };
      return change.wire?.(request, dated) ?? dated;
    },
  };
}
