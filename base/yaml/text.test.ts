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
