import { expect, test } from "vitest";
import { grouped } from "./groups.ts";

const site = (number: number, file: string, checks: number) => ({
  id: `${file} ${number}`,
  number,
  file,
  checks: Array.from({ length: checks }, (_, index) => `check ${index}`),
});

const numbersOf = (groups: ReturnType<typeof grouped>): number[][] =>
  groups.map((group) => group.map(({ number }) => number));

test("two sites of one file are in two groups", () => {
  const sites = [site(1, "a.ts", 9), site(2, "a.ts", 8), site(3, "b.ts", 7)];
  expect(numbersOf(grouped(sites))).toEqual([[1, 3], [2]]);
});

test("a group has at most eight sites, those reached by most checks first", () => {
  const sites = Array.from({ length: 10 }, (_, number) => site(number, `${number}.ts`, number + 1));
  expect(numbersOf(grouped(sites))).toEqual([
    [9, 8, 7, 6, 5, 4, 3, 2],
    [1, 0],
  ]);
});
