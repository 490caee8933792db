import { expect, test } from "vitest";
import { windowCourse } from "./window-course.ts";

const point = (at: number, admitted: boolean, reset: number | null) => ({
  at: 1000 * at,
  admitted,
  reset,
  operation: "discover",
  account: "account 1",
  remaining: null,
});
const counts = (course: ReturnType<typeof windowCourse>) => [
  course.admitted.map(({ inWindow }) => inWindow),
  course.refused.map(({ inWindow }) => inWindow),
];

test("a fixed window restarts with its Reset, which may differ by a second", () => {
  const points = [point(1, true, 60), point(2, true, 61), point(3, false, 60), point(61, true, 120)];
  expect(counts(windowCourse(points, 60, true))).toEqual([[1, 2, 1], [2]]);
});

test("without a Reset, a fixed window restarts after its length", () => {
  const points = [point(1, true, null), point(2, true, null), point(62, true, null)];
  expect(counts(windowCourse(points, 60, true))).toEqual([[1, 2, 1], []]);
});

test("a sliding window holds the requests admitted within its length", () => {
  const points = [point(1, true, 60), point(50, true, 110), point(62, true, 122), point(111, true, 171)];
  expect(counts(windowCourse(points, 60, false))).toEqual([[1, 2, 2, 2], []]);
});
