import { describe, expect, test } from "vitest";
import { belongElsewhere, violations } from "./parameters.ts";
import type { Param } from "./tool.ts";

const param = (name: string, type: Param["type"], rest: Partial<Param> = {}): Param => ({
  name,
  type,
  required: false,
  description: name,
  ...rest,
});
const contract = {
  params: [
    param("city", "string", { required: true, pattern: "[A-Z][a-z]+" }),
    param("days", "integer", { minimum: 1, maximum: 14 }),
    param("units", "string", { enum: ["metric", "imperial"] }),
    param("date", "string", { format: "date" }),
    param("ratio", "number"),
    param("live", "boolean"),
    param("tags", "array"),
    param("options", "object"),
  ],
};
const found = (parameters: Record<string, unknown>) =>
  violations(contract, parameters).map((violation) => `${violation.param} ${violation.type}`);

describe("violations", () => {
  test("parameters that keep the contract have none", () => {
    const all = {
      city: "Vienna",
      days: 14,
      units: "metric",
      date: "2024-02-29",
      ratio: 0.5,
      live: false,
      tags: [],
      options: {},
    };
    expect(found(all)).toEqual([]);
  });

  test.each([
    [{}, ["city missing"]],
    [{ city: 5 }, ["city type"]],
    [{ city: null }, ["city type"]],
    [{ city: "vienna" }, ["city format"]],
    [{ city: "A", days: 0 }, ["city format", "days range"]],
    [{ city: "Vienna", days: 15 }, ["days range"]],
    [{ city: "Vienna", days: 1.5 }, ["days type"]],
    [{ city: "Vienna", days: "3" }, ["days type"]],
    [{ city: "Vienna", units: "kelvin" }, ["units enum"]],
    [{ city: "Vienna", date: "2026-02-30" }, ["date format"]],
    [{ city: "Vienna", live: "yes", tags: {}, options: [] }, ["live type", "tags type", "options type"]],
    [{ city: "Vienna", unit: "metric" }, ["unit unknown"]],
    [JSON.parse('{"city":"Vienna","__proto__":1}') as Record<string, unknown>, ["__proto__ unknown"]],
  ])("%j breaks it by %j", (parameters, expected) => {
    expect(found(parameters)).toEqual(expected);
  });

  test("a message says what would be right, and does not repeat the value", () => {
    const [unknown] = violations(contract, { city: "Vienna", unit: "secret" });
    expect(unknown?.message).toMatch(/Did you mean "units"\?/);
    expect(JSON.stringify(violations(contract, { city: "Vienna", units: "secret" }))).not.toContain("secret");
  });

  test("one member of a one-of group is enough, none is not", () => {
    const group = {
      params: [
        param("a", "string", { one_of_required: "place" }),
        param("b", "string", { one_of_required: "place" }),
      ],
    };
    expect(violations(group, { b: "x" })).toEqual([]);
    expect(violations(group, {})).toEqual([
      { param: "place", type: "one_of", message: 'Give at least one of "a", "b".' },
    ]);
  });

  test("parameters belong to another tool when none of their names is known", () => {
    expect(belongElsewhere(contract, { symbol: "ACME" })).toBe(true);
    expect(belongElsewhere(contract, { symbol: "ACME", city: "Vienna" })).toBe(false);
    expect(belongElsewhere(contract, {})).toBe(false);
  });
});
