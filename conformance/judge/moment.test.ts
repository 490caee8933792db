import { expect, test, vi } from "vitest";
import { moment } from "./moment.ts";

test("an interruption between the two clocks does not move them apart", () => {
  const monotonic = vi.spyOn(performance, "now");
  for (const reading of [10, 80, 80, 80.01]) monotonic.mockReturnValueOnce(reading);
  const wall = [1070, 1070.005];
  expect(moment(() => wall.shift()!)).toEqual({ at: 1070.005, since: 80 });
  monotonic.mockRestore();
});
