import * as fc from "fast-check";
import { expect, it } from "vitest";
import { extentOf, type Extent } from "./nesting.ts";

const measured = (text: string): Extent => extentOf(Buffer.from(text));

/** The same, by walking the value. */
function walked(value: unknown): Extent {
  if (typeof value !== "object" || value === null) return { levels: 0, values: 1 };
  const members = Object.values(value).map(walked);
  return {
    levels: 1 + Math.max(0, ...members.map(({ levels }) => levels)),
    values: 1 + members.reduce((sum, { values }) => sum + values, 0),
  };
}

it("measures a JSON text as its value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(measured(JSON.stringify(value, null, indent))).toEqual(
        walked(JSON.parse(JSON.stringify(value))),
      );
    }),
  );
});

it.each([
  ["[[],[ ],{}]", { levels: 2, values: 4 }],
  [String.raw`["\"[[", "\\", ",{"]`, { levels: 1, values: 4 }],
  ["[[[[", { levels: 4, values: 5 }],
  ["]]]]", { levels: 0, values: 1 }],
  ['["[[[', { levels: 1, values: 2 }],
])("measures %s", (text, extent) => {
  expect(measured(text)).toEqual(extent);
});
