import { expect, it } from "vitest";
import { creditsOf, withoutNoise } from "./credits.ts";

it.each([
  [5, 5],
  ["-0.50", -0.5],
  ["+12", 12],
  ["0E-7", 0],
  ["1.5E+2", 150],
  [0.3 - 0.2 - 0.1, 0],
  ["-2.7755575615628914e-17", 0],
])("reads an amount of credits in %s", (written, amount) => expect(creditsOf(written)).toBe(amount));

it.each(["", "five", "5 credits", "0x10", "1,5", "e5", null, [5]])("reads none in %s", (written) =>
  expect(creditsOf(written)).toBeUndefined(),
);

it("leaves out the noise of each number in a value", () => {
  expect(withoutNoise({ spent: [0.1 + 0.2, -1e-17, 12], day: "2026-11-30" })).toEqual({
    spent: [0.3, -0, 12],
    day: "2026-11-30",
  });
  expect(withoutNoise(undefined)).toBeUndefined();
});
