import { expect, test } from "vitest";
import type { Row } from "../judge/rows.ts";
import { BalanceCourse } from "./balance-course.ts";
import { balancePicture } from "./balance-picture.ts";

/** Entries of one credit each, a second apart, from a balance of 10,000. */
const entries = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    created_at: new Date(1_000 * index).toISOString(),
    amount_credits: -1,
    balance_before: { total_available_credits: 10_000 - index },
    balance_after: { total_available_credits: 9_999 - index },
  }));

test("a course of many entries has some hundred points, the newest among them, and both lines agree", () => {
  const course = new BalanceCourse();
  const all = entries(5_000);
  for (let from = 0; from < all.length; from += 700) course.take(all.slice(from, from + 700));
  const { points } = course;
  expect(points.length).toBeGreaterThan(300);
  expect(points.length).toBeLessThanOrEqual(601);
  expect(points.filter(({ stated, summed }) => stated !== summed)).toEqual([]);
  expect(points.at(-1)).toEqual({ at: 4_999_000, stated: 5_000, summed: 5_000 });
});

test("a run that continues from its state draws the same course", () => {
  const [whole, part] = [new BalanceCourse(), new BalanceCourse()];
  whole.take(entries(1_500));
  part.take(entries(900));
  const rest = new BalanceCourse(JSON.parse(JSON.stringify(part.state)) as BalanceCourse["state"]);
  rest.take(entries(1_500).slice(900));
  expect(rest.points).toEqual(whole.points);
});

test("the lines part by what a missing entry moved", () => {
  const course = new BalanceCourse();
  course.take(entries(10).toSpliced(4, 1));
  expect(course.points.at(3)).toMatchObject({ stated: 9_996, summed: 9_996 });
  expect(course.points.at(-1)).toMatchObject({ stated: 9_990, summed: 9_991 });
  expect(balancePicture(course.points)!.text).toContain('class="summed"');
});

test("entries without balances have no picture", () => {
  const course = new BalanceCourse();
  course.take(entries(3).map(({ balance_after: _, ...entry }) => entry));
  expect(balancePicture(course.points)).toBeNull();
});
