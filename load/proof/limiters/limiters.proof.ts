import { beforeAll, describe, expect, test } from "vitest";
import { missing } from "./programs.ts";
import { judgeLimiters, type RowResult } from "./run.ts";
import { rows } from "./table.ts";

const here = rows.filter((row) => missing(row) === null);

describe("the verdict on a limiter that people run is the truth", () => {
  let results: RowResult[];
  beforeAll(async () => {
    results = await judgeLimiters(here);
  }, 900_000);
  test.for(here)("$limiter: $truth", (row) => {
    const { isTruth, fails, warns, kinds } = results.find((result) => result.row === row)!;
    expect(isTruth, JSON.stringify({ fails, warns, kinds })).toBe(true);
  });
  test.for(rows.filter((row) => missing(row) !== null))("$limiter", (row, { skip }) => {
    skip(missing(row)!);
  });
});
