import { machineClock, type Clock } from "./clock.ts";
import type { Schedule } from "./schedule.ts";

export interface OpenLoop {
  schedule: Schedule;
  /** Runs one piece of the work, and calls `ended`; its latency counts from `startedAt`, in epoch milliseconds. */
  begin: (index: number, startedAt: number, ended: () => void) => void;
  /** Called with how many milliseconds each start was late through this process's fault. */
  onStart?: (lateMs: number) => void;
  /** Ends work that goes on for too long after the last start. */
  cut?: () => void;
  /** How long work may go on after the last start, in seconds. */
  drainSeconds?: number;
  /** The most pieces of work at a time; further starts are left out. */
  maxUnderWay?: number;
  /** The share of this process, if several follow one schedule from one beginning. */
  share?: { index: number; of: number; startAt: number };
  clock?: Clock;
  /** Ends the loop early; work that has started is cut. */
  signal?: AbortSignal | undefined;
}

export const drainSeconds = 10;
const maxUnderWay = 10_000;
/** At high rates, the starts within so many ms are made together: waking up costs more than a start. */
const groupMs = 2;

/**
 * Starts work by a schedule, regardless of what still runs. A slow server does not delay a start; a busy sender does,
 * and that delay is reported as lateness, not counted as the server's latency.
 * @returns how much work was begun, and how much was left out because too much was under way
 */
export async function openLoop(loop: OpenLoop): Promise<{ begun: number; leftOut: number }> {
  const { schedule, begin, onStart, cut, clock = machineClock, signal } = loop;
  const { index: first, of, startAt } = loop.share ?? { index: 0, of: 1, startAt: clock.now() };
  let [index, begun, leftOut, underWay] = [first, 0, 0, 0];
  let drained: (() => void) | undefined;
  const ended = (): void => {
    underWay -= 1;
    if (underWay === 0) drained?.();
  };
  while (index < schedule.total && !signal?.aborted) {
    for (; index < schedule.total; index += of) {
      const [dueAt, now] = [startAt + schedule.startMs(index), clock.now()];
      if (dueAt > now) break;
      if (underWay >= (loop.maxUnderWay ?? maxUnderWay)) {
        leftOut += 1;
        continue;
      }
      onStart?.(now - dueAt);
      underWay += 1;
      begun += 1;
      begin(index, now, ended);
    }
    if (index < schedule.total)
      await clock
        .pause(Math.max(groupMs, startAt + schedule.startMs(index) - clock.now()))
        .catch(() => undefined);
  }
  const patience = setTimeout(
    () => cut?.(),
    1000 * (signal?.aborted ? 0 : (loop.drainSeconds ?? drainSeconds)),
  );
  if (underWay > 0) await new Promise<void>((resolve) => (drained = resolve));
  clearTimeout(patience);
  return { begun, leftOut };
}
