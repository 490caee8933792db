import { describe, expect, it } from "vitest";
import { lawfulChange, points, type Point } from "./index.ts";
import { excludes } from "./point.ts";
import { lineOf, wordsOn } from "./words.ts";

const pointOf = (id: string): Point => points.find((point) => point.id === id)!;

const request = {
  operation: "listUsage" as const,
  method: "GET",
  path: "/auth/usage/history/v2",
  query: new URLSearchParams(),
  headers: {},
  sent: () => "",
};

const answered = (body: unknown) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const changed = async (ids: readonly string[], body: unknown): Promise<string> =>
  (await lawfulChange(ids.map(pointOf)).wire!(request, answered(body))).body;

describe("points", () => {
  it("are many, each with words that permit it and a unique id", () => {
    expect(points.length).toBeGreaterThan(1_500);
    expect(new Set(points.map(({ id }) => id)).size).toBe(points.length);
    expect(points.filter(({ permittedBy }) => permittedBy.trim() === "")).toEqual([]);
  });

  it("do not touch what the contract requires", () => {
    const ids = points.map(({ id }) => id);
    expect(ids).not.toContain("listUsage 200 data.items.*.id left out");
    expect(ids).not.toContain("getCreditsSpent 200 data.total_credits left out");
    expect(ids).not.toContain("listUsage 200 data.items reversed");
    expect(ids).not.toContain("discover 200 results reversed");
    expect(ids).not.toContain("probe 200 quote.estimate_credits null");
  });

  it("keep one of two names for the same field", () => {
    const absent = (name: string): Point => pointOf(`listUsage 200 data.items.*.${name} left out`);
    expect(excludes(absent("settled_amount_credits"), absent("actual_amount_credits"))).toBe(true);
    expect(excludes(absent("settled_amount_credits"), absent("settlement_result"))).toBe(false);
  });

  it("change values, then their text", async () => {
    const body = {
      data: { items: [{ duration_ms: 5, kind: "call", created_at: "2026-11-25T10:00:00.500Z" }], total: 0 },
    };
    const ids = [
      "listUsage 200 data.items.*.kind left out",
      "listUsage 200 data.items.*.duration_ms in an object",
      "listUsage 200 data.items.*.created_at in the zone +05:30",
      "listUsage 200 data.total with an exponent and a sign",
    ];
    expect(await changed(ids, body)).toBe(
      '{"data":{"items":[{"duration_ms":{"value":5},"created_at":"2026-11-25T15:30:00.500+05:30"}],"total":-0.0E+00}}',
    );
  });

  it("leave a member in each row", async () => {
    const settlement = "listSettlements 200 data.items.*";
    const ids = ["entry_type", "amount_credits"].map((name) => `${settlement}.${name} left out`);
    const rows = { data: { items: [{ entry_type: "consume_tool_execute", amount_credits: -1 }, {}] } };
    const { wire } = lawfulChange(ids.map(pointOf));
    const { body } = await wire!({ ...request, operation: "listSettlements" }, answered(rows));
    expect(body).toBe('{"data":{"items":[{"entry_type":"consume_tool_execute"},{}]}}');
  });

  it("keep the meaning of every number and string whose text they change", async () => {
    const body = { status: "ok/é\n\\u", status_code: 120, data: { total: 0.05, page: 1e-7 } };
    const ids = [
      "listUsage 200 status with its vowels escaped",
      "listUsage 200 status_code with an exponent and a sign",
      "listUsage 200 data.total with a fraction that ends in zero",
      "listUsage 200 with white space around",
      "listUsage with a line for each member",
    ].filter((id) => points.some((point) => point.id === id));
    expect(JSON.parse(await changed(ids, body))).toEqual(body);
  });
});

describe("wordsOn", () => {
  it("quotes the clause of a field, the line that names it, or what hides it", () => {
    expect(wordsOn("listUsage", 200, "data.items.*.session_id")!.quote).toContain("Correlation ids");
    expect(wordsOn("listUsage", 200, "data.items.*.duration_ms")).toEqual({
      quote: "duration_ms | Request duration in ms",
      named: true,
    });
    expect(wordsOn("getCreditsSpent", 200, "data.start_date")!.quote).toContain("Credits-spent response");
  });

  it("refuses a line that the contract does not have", () => {
    expect(() => lineOf("No such line")).toThrow("spec/contract.md has no line");
  });
});
