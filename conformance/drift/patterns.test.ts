import fc from "fast-check";
import { expect, test } from "vitest";
import { isPatternWithin } from "./patterns.ts";

/** Patterns as published documents have them, and some whose anchors bind less than they seem to. */
const patterns = [
  "^[a-zA-Z0-9-]+$",
  "^[a-zA-Z0-9-_@.:&+=*^'~#!$%()]+$",
  "^[0-9]+(ns|us|ms|s|m|h)$",
  "^([0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|h))+$",
  "^(cmp|camp)_[a-z]+$",
  "^cmp_[a-z]+$",
  "^[0-9a-f]{32}$",
  "^[\\w-]{1,64}$",
  "^stl_.+$",
  "^.+$",
  "^[\\s\\S]+$",
  '^.+@[^"\\-].+$',
  "a",
  "^a|b$",
  "^a",
  "^$",
  "^\\d{4}-\\d{2}-\\d{2}$",
];

test("every text of a pattern matches one that it is within (seed 1)", () => {
  const within = patterns.flatMap((given) =>
    patterns.flatMap((asked) => (isPatternWithin(given, asked) ? [[given, asked] as const] : [])),
  );
  expect(within.length).toBeGreaterThan(2 * patterns.length);
  const wrong = within.filter(([given, asked]) =>
    fc
      .sample(fc.stringMatching(new RegExp(given, "u")), { numRuns: 60, seed: 1 })
      .some((text) => !new RegExp(asked, "u").test(text)),
  );
  expect(wrong).toEqual([]);
});

test("an anchor binds its alternative alone, a dot does not match a line end, and what looks ahead is not decided", () => {
  expect(isPatternWithin("^a", "^a|b$")).toBe(true);
  expect(isPatternWithin("a", "^a|b$")).toBe(false);
  expect(isPatternWithin("^[\\s\\S]+$", "^.+$")).toBe(false);
  expect(isPatternWithin("^(?!a)[a-c]$", "^[a-c]$")).toBe(false);
  expect(isPatternWithin("^(", "^a$")).toBe(false);
});
