import { describe, expect, it } from "vitest";
import { coverOf } from "./cover.ts";
import { excludes, points } from "./index.ts";

const some = points.filter(({ operation }) => operation === "probe" || operation === "getCredits");

describe("coverOf", () => {
  it("has most pairs of points in few servers, and none of points that exclude each other", () => {
    const { servers, share } = coverOf(some, "1", 200, 0.95);
    expect(share).toBeGreaterThanOrEqual(0.95);
    const clashes = servers.flatMap((server) =>
      server.flatMap((point, index) =>
        server.slice(index + 1).filter((other) => excludes(some[point]!, some[other]!)),
      ),
    );
    expect(clashes).toEqual([]);
  });

  it("draws the same servers for the same seed", () => {
    expect(coverOf(some, "7", 40, 1)).toEqual(coverOf(some, "7", 40, 1));
    expect(coverOf(some, "7", 40, 1)).not.toEqual(coverOf(some, "8", 40, 1));
  });
});
