import { expect, test } from "vitest";
import { Unverifiable } from "../../judge/verdict.ts";
import { isSatisfied, valuesShownBy } from "./content-schema.ts";

const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

test("content satisfies a schema that describes it, whatever the dialect says", async () => {
  const dialect = { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
  expect(await isSatisfied(dialect, { city: "Graz" })).toBe(true);
  expect(await isSatisfied(schema, [])).toBe(false);
  expect(await isSatisfied({ type: "observations" }, {})).toBe(false);
  expect(await isSatisfied("object", {})).toBe(false);
});

/** A definition for each level, each of which applies the next twice. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, level) => [
    `level${level}`,
    { allOf: [{ $ref: `#/$defs/level${level + 1}` }, { $ref: `#/$defs/level${level + 1}` }] },
  ]),
);

test.each([
  ["a pattern that backtracks for ever", { pattern: "^(a+)+$" }],
  ["an allOf that doubles with each level", { $ref: "#/$defs/level0", $defs: { ...doubling, level40: {} } }],
])("%s is given up, and nothing waits for it", async (_, hostile) => {
  await expect(isSatisfied(hostile, `${"a".repeat(60)}!`, { deadlineMs: 1_500 })).rejects.toThrow(
    new Unverifiable("content_schema cannot be evaluated within 1.5 s"),
  );
});

test("examples, defaults and constants show values, at whatever depth; an enum does not", () => {
  const properties = { city: { examples: ["Graz"] }, sky: { enum: ["fog"] }, days: { items: { const: 7 } } };
  expect(valuesShownBy({ default: { city: "Wien" }, properties })).toEqual([{ city: "Wien" }, ["Graz"], 7]);
});
