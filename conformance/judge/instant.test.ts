import { describe, expect, it } from "vitest";
import { instantOf, isTimestamp, microsOf, stepOf, timestampLike } from "./instant.ts";

describe("an instant", () => {
  it("is the same whatever the offset and the number of decimals", () => {
    const noon = Date.parse("2026-11-20T12:00:00Z") * 1000;
    expect(microsOf("2026-11-20T12:00:00.000Z")).toBe(noon);
    expect(microsOf("2026-11-20T12:00:00")).toBe(noon);
    expect(microsOf("2026-11-20T17:30:00.000001+05:30")).toBe(noon + 1);
    expect(microsOf("2026-11-20T04:00:00.1234567-0800")).toBe(noon + 123_456);
  });

  it("is undefined for anything but an ISO 8601 timestamp", () => {
    for (const value of ["2026-11-20", "20 November 2026", "2026-13-20T12:00:00Z", 1_795_000_000, null]) {
      expect(microsOf(value)).toBeUndefined();
    }
  });

  it("may be written with spaces, as databases do, where milliseconds are asked for", () => {
    const noon = Date.parse("2026-11-20T12:00:00.123Z");
    for (const text of [
      "2026-11-20 12:00:00.123456",
      "2026-11-20 14:00:00.123+02",
      "2026-11-20T12:00:00.123 Z",
    ]) {
      expect(instantOf(text)).toBe(noon);
      expect(microsOf(text)).toBeUndefined();
    }
    expect(isTimestamp("2026-11-20")).toBe(false);
  });

  it("is written with the decimals of another, in UTC or at an offset", () => {
    const like = "2026-11-20T12:00:00.123Z";
    expect(stepOf(like)).toBe(1000);
    const later = microsOf(like)! + stepOf(like);
    expect(timestampLike(like, later)).toBe("2026-11-20T12:00:00.124Z");
    expect(timestampLike(like, later, -330)).toBe("2026-11-20T06:30:00.124-05:30");
    expect(timestampLike("2026-11-20T12:00:00Z", microsOf("2026-11-20T12:00:00Z")!, 480)).toBe(
      "2026-11-20T20:00:00+08:00",
    );
  });
});
