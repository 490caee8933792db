import { expect, it } from "vitest";
import { roomsWithoutFloor, upwardArrows } from "./check-arrows.ts";

it("names a room that imports from one above it, with the files", () => {
  const imports = new Map([
    ["roof/a.ts", ["cellar/b.ts"]],
    ["cellar/b.ts", ["roof/a.ts", "cellar/c.ts"]],
    ["cellar/c.ts", []],
  ]);
  expect(upwardArrows(imports, ["roof", "cellar"])).toEqual([
    expect.stringMatching(/^cellar -> roof runs up: cellar\/b\.ts imports roof\/a\.ts\. /),
  ]);
});

it("names a room that has no floor", () => {
  expect(roomsWithoutFloor(["base/exit.ts", "attic/box.ts"])).toEqual([
    expect.stringMatching(/^attic is a room without a floor/),
  ]);
});
