import { expect, test } from "vitest";
import { stepsOf } from "../data.ts";
import { parsed } from "./text.ts";

const text = `{
  "a~/b": [1, {
    "c"
      : "d: }, [",
    "e": []
  }],
  "f": {"g": null}
}`;

test.each([
  ["", 1],
  ["/a~0~1b", 2],
  ["/a~0~1b/1", 2],
  ["/a~0~1b/1/c", 3],
  ["/a~0~1b/1/e", 5],
  ["/f/g", 7],
  ["/a~0~1b/1/e/0/x", 5],
  ["/f/missing/x", 7],
  ["/missing", 1],
])("%s of a JSON text, or what encloses it, begins in line %i", (pointer, line) => {
  expect(parsed("text.json", text).lineOf(stepsOf(pointer))).toBe(line);
});

test("a value that an alias makes part of itself is refused, one that is used twice is not", () => {
  expect(() => parsed("a.yaml", "tools: &a\n  one: 1\n  charged: [*a]\n")).toThrow(
    "a.yaml:3: tools.charged.0 is an alias of what it is part of",
  );
  expect(parsed("a.yaml", "one: &a {b: 1}\nother: *a\n").value).toEqual({ one: { b: 1 }, other: { b: 1 } });
});
