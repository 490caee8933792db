import type { WindowPoint } from "../outcome.ts";

/** How full the window of one account was over time, in epoch milliseconds. */
export interface WindowCourse {
  admitted: { at: number; inWindow: number }[];
  refused: { at: number; inWindow: number }[];
}

/** Resets of one window may differ by a second. */
const resetDoubtSeconds = 1;

/**
 * The requests of one account that its window had admitted at each answer: those since the window began, or, of a
 * limiter without fixed windows, those of the last window's length.
 */
export function windowCourse(
  points: readonly WindowPoint[],
  windowSeconds: number,
  fixed: boolean,
): WindowCourse {
  const course: WindowCourse = { admitted: [], refused: [] };
  let inWindow: number[] = [];
  let [reset, beganAt] = [null as number | null, -Infinity];
  for (const point of points.toSorted((one, other) => one.at - other.at)) {
    const { at } = point;
    if (fixed) {
      const turned =
        point.reset !== null && reset !== null
          ? point.reset > reset + resetDoubtSeconds
          : at >= beganAt + 1000 * windowSeconds;
      if (turned || beganAt === -Infinity) {
        inWindow = [];
        beganAt = at;
        reset = point.reset;
      }
    } else {
      inWindow = inWindow.filter((admittedAt) => admittedAt > at - 1000 * windowSeconds);
    }
    if (point.admitted) inWindow.push(at);
    course[point.admitted ? "admitted" : "refused"].push({ at, inWindow: inWindow.length });
  }
  return course;
}
