import { expect, test } from "vitest";
import { Unverifiable } from "../../judge/verdict.ts";
import { isSatisfied, valuesShownBy } from "./content-schema.ts";

const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

test("content satisfies a schema that describes it, whatever its draft", async () => {
  const dialect = { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
  expect(await isSatisfied(dialect, { city: "Graz" })).toBe(true);
  expect(await isSatisfied(schema, [])).toBe(false);
  expect(await isSatisfied({ type: "observations" }, {})).toBe(false);
  expect(await isSatisfied("object", {})).toBe(false);
});

/** Definitions nested to a given depth, each of which applies the next twice. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, level) => [
    `level${level}`,
    { allOf: [{ $ref: `#/$defs/level${level + 1}` }, { $ref: `#/$defs/level${level + 1}` }] },
  ]),
);

test.each([
  ["a pattern that backtracks for ever", { pattern: "^(a+)+$" }],
  ["an allOf that doubles with each level", { $ref: "#/$defs/level0", $defs: { ...doubling, level40: {} } }],
])("%s is abandoned, and nothing waits for it", async (_, hostile) => {
  await expect(isSatisfied(hostile, `${"a".repeat(60)}!`, { deadlineMs: 300 })).rejects.toThrow(
    new Unverifiable("content_schema cannot be evaluated within 0.3 s"),
  );
});

test("a schema is read by the draft that it names", async () => {
  const seventh = { $schema: "http://json-schema.org/draft-07/schema#" };
  const tuple = { ...seventh, items: [{ type: "string" }], additionalItems: false };
  expect(await isSatisfied(tuple, ["a"])).toBe(true);
  expect(await isSatisfied(tuple, ["a", 2])).toBe(false);
  const above = { minimum: 0, exclusiveMinimum: true };
  const fourth = { $schema: "http://json-schema.org/draft-04/schema#", id: "#a", ...above };
  expect(await isSatisfied(fourth, 1)).toBe(true);
  expect(await isSatisfied(fourth, 0)).toBe(false);
  expect(await isSatisfied(above, 1)).toBe(true);
});

test("what cannot be judged here is given the benefit of the doubt", async () => {
  const custom = { $schema: "https://example.com/dialect", type: "observations" };
  expect(await isSatisfied(custom, {})).toBe(true);
  expect(await isSatisfied({ $ref: "https://example.com/city.json" }, {})).toBe(true);
  expect(await isSatisfied({ $id: "urn:x", ...schema }, { city: "Graz" })).toBe(true);
  expect(await isSatisfied({ $id: "urn:x", ...schema }, [])).toBe(false);
});

test("examples, defaults and constants show values, at whatever depth; an enum does not", () => {
  const properties = { city: { examples: ["Graz"] }, sky: { enum: ["fog"] }, days: { items: { const: 7 } } };
  expect(valuesShownBy({ default: { city: "Wien" }, properties })).toEqual([{ city: "Wien" }, ["Graz"], 7]);
});
