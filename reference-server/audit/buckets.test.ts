import { describe, expect, test } from "vitest";
import { automaticBucket, readBucket } from "./buckets.ts";
import { readWindow, type BoundedWindow } from "./window.ts";

const window = (start_date: string, end_date: string) =>
  readWindow({ start_date, end_date }) as BoundedWindow;

describe("buckets", () => {
  test("are hours up to and including exactly 72 hours, then days", () => {
    const automatic = (start: string, end: string) => automaticBucket(window(start, end));
    expect(automatic("2026-11-17T00:00:00Z", "2026-11-20T00:00:00Z")).toBe("hour");
    expect(automatic("2026-11-17T00:00:00Z", "2026-11-20T00:00:00.000001Z")).toBe("day");
    expect(automatic("2026-11-18", "2026-11-20")).toBe("hour");
    expect(automatic("2026-11-17", "2026-11-20")).toBe("day");
  });

  test("have three names", () => {
    expect(readBucket("week")).toBe("week");
    expect(readBucket(undefined)).toBeUndefined();
    for (const name of ["", "Hour", "month", "toString"])
      expect(() => readBucket(name)).toThrow(/hour, day or week/);
  });
});
