import { expect, test } from "vitest";
import type { Matrix } from "./hand.ts";
import { renewed, unproved, type HandResults } from "./hand-results.ts";

const before: HandResults = {
  day: "2026-11-24",
  killed: ["CALL-07 gone", "CALL-07 one", "CALL-08 two"],
  survived: [],
  quiet: ["an oddity"],
  alarmed: ["another"],
  seenThrough: ["a parrot"],
  praised: [],
};
const now = {
  mutants: ["CALL-07 one", "CALL-07 new", "CALL-08 two"],
  variations: ["an oddity", "another", "a third"],
  impostors: ["a parrot"],
};
const matrix = {
  mutants: ["one", "new"].map((name) => ({
    clause: "CALL-07",
    name,
    killed_by: name === "new" ? ["a"] : [],
  })),
  variations: [{ name: "another", false_alarms: [] }],
  impostors: [],
} as unknown as Matrix;

test("a run renews its own results, and keeps all others that still exist", () => {
  const after = renewed(before, matrix, now, "2026-11-25");
  expect(after).toEqual({
    day: "2026-11-25",
    killed: ["CALL-07 new", "CALL-08 two"],
    survived: ["CALL-07 one"],
    quiet: ["an oddity", "another"],
    alarmed: [],
    seenThrough: ["a parrot"],
    praised: [],
  });
  expect(unproved(after, now)).toEqual(["a third"]);
});
