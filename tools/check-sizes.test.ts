import { expect, it } from "vitest";
import { roomOf, sizesNote } from "./check-sizes.ts";

it("shows each room with its change since the release", () => {
  const note = sizesNote(
    { load: 1_200, tools: 40, attic: 3 },
    { release: "0.1.0", lines: { load: 1_000, tools: 40, cellar: 7 } },
  );
  expect(note).toEqual([
    "Lines of production code by room, with the change since 0.1.0: 1,243 (+196)",
    "  attic   3 (new)",
    "  cellar  gone (-7)",
    "  load    1,200 (+200)",
    "  tools   40 (0)",
  ]);
});

it("counts the code of this repository", () => {
  expect(sizesNote().join("\n")).toMatch(/ {2}conformance\/suite +\d\d,\d{3} \(/);
});

it("takes a file for its room's", () => {
  expect(roomOf("conformance/suite/call/checks.ts")).toBe("conformance/suite");
  expect(roomOf("load/engine/thresholds.ts")).toBe("load");
});
