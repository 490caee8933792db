import { describe, expect, test } from "vitest";
import { automaticBucket, bucketStart, bucketStarts, readBucket } from "./buckets.ts";
import { readWindow, timestamp, type BoundedWindow } from "./window.ts";

const window = (start_date: string, end_date: string) =>
  readWindow({ start_date, end_date }) as BoundedWindow;
const starts = (bucket: "hour" | "day" | "week", start: string, end: string) =>
  bucketStarts(bucket, window(start, end), null).map(timestamp);

describe("buckets", () => {
  test.each([
    ["2026-11-20T08:59:59.999Z", "2026-11-20T08:00", "2026-11-20T00:00", "2026-11-16T00:00"],
    ["2026-11-16T00:00:00Z", "2026-11-16T00:00", "2026-11-16T00:00", "2026-11-16T00:00"],
    ["2026-11-15T23:59:59.999Z", "2026-11-15T23:00", "2026-11-15T00:00", "2026-11-09T00:00"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00", "1970-01-01T00:00", "1969-12-29T00:00"],
  ])("%s lies in the hour, the day and the week (from Monday, UTC)", (moment, hour, day, week) => {
    const of = (bucket: "hour" | "day" | "week") =>
      timestamp(bucketStart(bucket, Date.parse(moment))).slice(0, 16);
    expect([of("hour"), of("day"), of("week")]).toEqual([hour, day, week]);
  });

  test("are hours up to and including exactly 72 hours, then days", () => {
    const automatic = (start: string, end: string) => automaticBucket(window(start, end));
    expect(automatic("2026-11-17T00:00:00Z", "2026-11-20T00:00:00Z")).toBe("hour");
    expect(automatic("2026-11-17T00:00:00Z", "2026-11-20T00:00:00.000001Z")).toBe("day");
    expect(automatic("2026-11-18", "2026-11-20")).toBe("hour");
    expect(automatic("2026-11-17", "2026-11-20")).toBe("day");
  });

  test("cover the window from end to end, both ends inclusive", () => {
    expect(starts("hour", "2026-11-20T08:30:00Z", "2026-11-20T10:00:00Z")).toEqual([
      "2026-11-20T08:00:00.000Z",
      "2026-11-20T09:00:00.000Z",
      "2026-11-20T10:00:00.000Z",
    ]);
    expect(starts("day", "2026-11-19", "2026-11-20")).toHaveLength(2);
    expect(starts("week", "2026-11-15", "2026-11-16")).toEqual([
      "2026-11-09T00:00:00.000Z",
      "2026-11-16T00:00:00.000Z",
    ]);
  });

  test("are none where the start is after the end", () => {
    expect(starts("hour", "2026-11-20T10:00:00Z", "2026-11-20T09:59:59Z")).toEqual([]);
    expect(starts("hour", "2026-11-20T10:30:00Z", "2026-11-20T10:20:00Z")).toEqual([]);
  });

  test("of a window too long to fill are narrowed to where there are records", () => {
    const long = window("0001-01-01", "9999-12-31");
    expect(bucketStarts("hour", long, null)).toEqual([]);
    const records = { first: Date.parse("2026-11-20T01:00:00Z"), last: Date.parse("2026-11-20T03:00:00Z") };
    expect(bucketStarts("hour", long, records)).toHaveLength(3);
  });

  test("have three names", () => {
    expect(readBucket("week")).toBe("week");
    expect(readBucket(undefined)).toBeUndefined();
    for (const name of ["", "Hour", "month", "toString"])
      expect(() => readBucket(name)).toThrow(/hour, day or week/);
  });
});
