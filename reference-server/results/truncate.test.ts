import fc from "fast-check";
import { expect, it, test } from "vitest";
import { inferContentSchema } from "./content-schema.ts";
import { truncate } from "./truncate.ts";
import { Ajv } from "ajv";

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
console.log(`truncate.test.ts: SEED=${seed}`);

test("a truncated text is the longest whole-character beginning that fits", () => {
  // Half a surrogate pair is a character, too.
  const character = fc.integer({ min: 0, max: 0x10ffff }).map((at) => String.fromCodePoint(at));
  const text = fc.string({ unit: character, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 150 }), (value, limit) => {
      const whole = JSON.stringify(value);
      const beginning = truncate(whole, limit);
      if (beginning === null) return Buffer.byteLength(whole) <= limit;
      const next = [...whole.slice(beginning.length)][0] ?? "";
      return (
        Buffer.byteLength(whole) > limit &&
        whole.startsWith(beginning) &&
        Buffer.byteLength(beginning) <= limit &&
        Buffer.byteLength(beginning + next) > limit
      );
    }),
    { seed, numRuns: 2000 },
  );
});

test("exactly the limit is whole, one byte more is not, and -1 never truncates", () => {
  expect(truncate("é".repeat(5), 10)).toBeNull();
  expect(truncate("é".repeat(5), 9)).toBe("éééé");
  expect(truncate("a😀", 4)).toBe("a");
  expect(truncate("x".repeat(100_000), -1)).toBeNull();
  expect(() => truncate("x", 0)).toThrow("must be -1 or at least 1");
});

// Content may have a member "toString", which other objects inherit.
const ajv = new Ajv({ strict: false, ownProperties: true });

test("content is valid against the schema inferred from it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (content) => ajv.validate(inferContentSchema(content), content)),
    { seed, numRuns: 300 },
  );
  expect(inferContentSchema({ rows: [{ a: 1, b: "x" }, { a: 1.5 }, { a: null }] })).toEqual({
    type: "object",
    required: ["rows"],
    properties: {
      rows: {
        type: "array",
        items: {
          type: "object",
          required: ["a"],
          properties: { a: { type: ["null", "number"] }, b: { type: "string" } },
        },
      },
    },
  });
});

test("accepts an integer beyond the exact ones, as the contract's integer may be", () => {
  expect(truncate("abc", 1e21)).toBeNull();
});

it.each([
  ["a name of 8 MB", { ["x".repeat(8_000_000)]: 1 }],
  ["200,000 names", Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`k${n}`, n]))],
  ["rows that differ", Array.from({ length: 50_000 }, (_, n) => ({ [`a${n}`]: { [`b${n}`]: 1 } }))],
  ["rows that change at the end", [...Array<object>(200_000).fill({ a: 1 }), { a: "x", b: 2 }]],
])("the schema of %s is small, and describes it", (_what, content) => {
  const schema = inferContentSchema(content);
  expect(JSON.stringify(schema).length).toBeLessThan(262_144);
  expect(ajv.validate(schema, content)).toBe(true);
});
