import { describe, expect, it } from "vitest";
import { isZoneless, microsOf, momentOf, stepOf, timestampLike } from "./instant.ts";

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

  it("may be written with spaces, as databases do, or as a number, where the contract gives no form", () => {
    const noon = Date.parse("2026-11-20T12:00:00Z") * 1000;
    for (const text of ["2026-11-20 12:00:00", "2026-11-20 14:00:00.000+02", "2026-11-20T12:00:00.0 Z"]) {
      expect(momentOf(text)).toBe(noon);
      expect(microsOf(text)).toBeUndefined();
    }
    for (const epoch of [noon, noon / 1000, noon / 1_000_000]) expect(momentOf(epoch)).toBe(noon);
    expect(momentOf("2026-11-20")).toBe(noon - 12 * 3_600_000_000);
    expect([momentOf("noon"), momentOf(0), momentOf(null)]).toEqual([undefined, undefined, undefined]);
  });

  it("moves in steps of its smallest written unit", () => {
    expect(stepOf("2026-11-20T12:00:00Z")).toBe(1_000_000);
    expect(stepOf(1_795_000_000)).toBe(1_000_000);
    expect(stepOf(1_795_000_000_000)).toBe(1000);
    expect(timestampLike(1_795_000_000_123, 1_795_000_000_124_000)).toMatch(/\.124Z$/);
  });

  it("is written without a zone like one that names none", () => {
    const like = "2026-11-20T12:00:00.5";
    expect(isZoneless(like)).toBe(true);
    expect(timestampLike(like, microsOf(like)! + 100_000)).toBe("2026-11-20T12:00:00.6");
    expect(isZoneless("2026-11-20")).toBe(true);
    expect(isZoneless("2026-11-20 12:00:00+00")).toBe(false);
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
