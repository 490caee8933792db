import type { Change } from "../conformance/changes/mutant.ts";
import { createLimiter } from "../reference-server/http/limiter.ts";
import { machineClock, type Clock } from "./engine/clock.ts";

/**
 * A clock that runs like the machine's but jumps over pauses: windows of a minute pass immediately, and a burst
 * falls within one window however busy the machine is. It supports a single flow: a jump would also skip the work of
 * another.
 * @param phase milliseconds past the minute at which it starts
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

/** A server whose windows and `Date` header follow a clock, with further changes. */
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
