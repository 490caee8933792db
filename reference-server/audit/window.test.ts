import { describe, expect, test } from "vitest";
import { InvalidQuery } from "./invalid-query.ts";
import { boundText, ceilMs, instant, instantText, readWindow, summaryWindow } from "./window.ts";

const start = (text: string) => boundText(readWindow({ start_date: text }).start);
const end = (text: string) => boundText(readWindow({ end_date: text }).end);

describe("the window of a query", () => {
  test.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2026-11-20T08:30:15Z", "2026-11-20T08:30:15.000Z"],
    ["2026-11-20T08:30:15", "2026-11-20T08:30:15.000Z"],
    ["2026-11-20T08:30", "2026-11-20T08:30:00.000Z"],
    ["2026-11-20T08:30:15+02:00", "2026-11-20T06:30:15.000Z"],
    ["2026-11-20T08:30:15-0930", "2026-11-20T18:00:15.000Z"],
    ["2026-11-20T23:30:00-01", "2026-11-21T00:30:00.000Z"],
    ["2026-11-20T08:30:15.5Z", "2026-11-20T08:30:15.500Z"],
    ["0000-01-01T00:00:00+02:00", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:00-02:00", "9999-12-31T23:59:59.999999Z"],
    ["2026-11-20T08:30:15,123456789Z", "2026-11-20T08:30:15.123456Z"],
  ])("reads %s as %s", (text, moment) => {
    expect(start(text)).toBe(moment);
    if (text.includes("T")) expect(end(text)).toBe(moment);
  });

  test("expands a plain date as the end to the end of that day", () => {
    expect(end("2026-11-20")).toBe("2026-11-20T23:59:59.999999Z");
  });

  test.each([
    "",
    "yesterday",
    "20-11-2026",
    "2026-1-2",
    "2026-02-29",
    "2026-13-01",
    "2026-11-20T24:00:00Z",
    "2026-11-20T08:61:00Z",
    "2026-11-20T08:30:15+25:00",
    "2026-11-20 08:30:15",
    "2026-11-20T08:30:15 02:00",
    "2026-11-20T",
    "1700000000",
    "2026-11-20Z",
  ])("refuses %j and names the parameter and the forms", (text) => {
    for (const parameter of ["start_date", "end_date"]) {
      const read = () => readWindow({ [parameter]: text });
      expect(read).toThrow(InvalidQuery);
      expect(read).toThrow(new RegExp(`${parameter}.*YYYY-MM-DD.*ISO 8601`));
    }
  });

  test("rounds a fraction of a millisecond inwards", () => {
    const { start: from, end: to } = readWindow({
      start_date: "2026-11-20T00:00:00.000001Z",
      end_date: "2026-11-20T00:00:00.000999Z",
    });
    expect([ceilMs(from!) - to!.ms]).toEqual([1]);
  });
});

describe("the window of a summary", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const window = (query: object, first: number | null) => {
    const { start: from, end: to } = summaryWindow(readWindow(query), now, first);
    return [instantText(from), instantText(to)];
  };

  test("is the last 24 hours when both dates are omitted", () => {
    expect(window({}, 5)).toEqual(["2026-11-19T12:00:00.000Z", "2026-11-20T12:00:00.000Z"]);
  });

  test("begins at the account's first record or ends now when one date is omitted", () => {
    expect(window({ start_date: "2026-11-01" }, null)[1]).toBe("2026-11-20T12:00:00.000Z");
    expect(window({ end_date: "2026-11-10" }, Date.parse("2026-11-03T04:00:00Z"))[0]).toBe(
      "2026-11-03T04:00:00.000Z",
    );
    expect(window({ end_date: "2026-11-10T01:00:00Z" }, null)[0]).toBe("2026-11-10T01:00:00.000Z");
    expect(instant(now).micros).toBe(0);
  });
});
