import { expect, test } from "vitest";
import { brokenLock, linesNow, missingFrom } from "./lock.ts";

const locked = ["check A-01/x of A-01", "clause A-01 must", "clause A-01 should"];

test("a check that disappears and a clause that is loosened are missing from the lock", () => {
  expect(missingFrom(locked, new Set(["clause A-01 should", "check A-02/new of A-02"]), [])).toEqual([
    "check A-01/x of A-01",
    "clause A-01 must",
  ]);
});

test("a line that an entry gives up is not missing; a star matches any ending", () => {
  const loosened = [{ line: "check A-01/*", because: "the contract leaves it open" }];
  expect(missingFrom(locked, new Set(["clause A-01 should"]), loosened)).toEqual(["clause A-01 must"]);
});

test("a stricter clause loses no line", () => {
  expect(
    missingFrom(["clause A-01 should"], new Set(["clause A-01 should", "clause A-01 must"]), []),
  ).toEqual([]);
});

test("the suite of today keeps its lock", () => {
  expect(linesNow().size).toBeGreaterThan(1000);
  expect(brokenLock()).toEqual([]);
});
