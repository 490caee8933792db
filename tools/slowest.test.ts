import { expect, it } from "vitest";
import { slowestOf } from "./slowest.ts";

it("lists the slowest files, the slowest first", () => {
  const times = [3, 20.25, 1].map((seconds) => ({ file: `${seconds}.test.ts`, project: "tests", seconds }));
  expect(slowestOf(times, 2)).toEqual(["   20.3 s  20.25.test.ts (tests)", "    3.0 s  3.test.ts (tests)"]);
});
