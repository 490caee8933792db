import { expect, it } from "vitest";
import { budgetsLeft, oversizedRooms } from "./check-sizes.ts";

it("names a room above its budget and a room without one", () => {
  expect(oversizedRooms(new Map([["cli", 1_000_001]]))).toEqual([
    expect.stringMatching(/^cli has 1000001 .* above/),
  ]);
  expect(oversizedRooms(new Map([["attic", 3]]))).toEqual([
    expect.stringContaining("attic has 3 lines and no budget"),
  ]);
});

it("counts the code of this repository", () => {
  expect(oversizedRooms()).toEqual([]);
  expect(budgetsLeft()).toMatch(/^\d{5} lines of production code; left of the budgets: cli \d+/);
});
