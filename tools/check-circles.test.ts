import { expect, it } from "vitest";
import { circles } from "./check-circles.ts";

it("finds files that import each other, and no others", () => {
  const imports = new Map([
    ["a.ts", ["b.ts"]],
    ["b.ts", ["c.ts", "d.ts"]],
    ["c.ts", ["a.ts", "node.ts"]],
    ["d.ts", []],
  ]);
  expect(circles(imports)).toEqual(["a.ts, b.ts, c.ts import each other"]);
});
