import { expect, test } from "vitest";
import { isSatisfied, valuesShownBy } from "./content-schema.ts";

const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

test("content satisfies a schema that describes it, whatever the dialect says", () => {
  expect(
    isSatisfied({ $schema: "http://json-schema.org/draft-07/schema#", ...schema }, { city: "Graz" }),
  ).toBe(true);
  expect(isSatisfied(schema, [])).toBe(false);
  expect(isSatisfied({ type: "observations" }, {})).toBe(false);
  expect(isSatisfied("object", {})).toBe(false);
});

test("examples, defaults and constants show values, at whatever depth; an enum does not", () => {
  const properties = { city: { examples: ["Graz"] }, sky: { enum: ["fog"] }, days: { items: { const: 7 } } };
  expect(valuesShownBy({ default: { city: "Wien" }, properties })).toEqual([{ city: "Wien" }, ["Graz"], 7]);
});
