import { expect, test } from "vitest";
import { handJobs, joined, type Matrix } from "./hand.ts";
import type { Kill } from "./kill.ts";

const kill = (name: string, ...killers: string[]): Kill => ({
  name,
  clause: "CALL-07",
  killed_by: killers,
  blocked: [],
  collateral: [],
  unrelated: [],
});
const part = (...mutants: Kill[]): Matrix => ({
  mutants,
  survivors: [],
  checks_without_kill: [],
  variations: [],
  impostors: [],
  unfinished: [],
});
const jobs = ["one", "two", "three"].map((name, index) => ({
  name: `CALL-07 ${name}`,
  job: { kind: "mutant" as const, index, whole: false, alone: false, fast: true },
}));

test("the parts of a matrix join: a later result replaces an earlier, what is missing is unfinished, what is gone is left out", () => {
  const { matrix, left } = joined(
    [part(kill("one"), kill("two", "a")), part(kill("one", "b"), kill("gone", "c"))],
    jobs,
  );
  expect(matrix.mutants).toEqual([kill("one", "b"), kill("two", "a")]);
  expect(matrix.survivors).toEqual([]);
  expect(left).toEqual([jobs[2]]);
  expect(matrix.unfinished).toEqual(["CALL-07 three: no part has judged it"]);
});

test("the shards of several runs complement each other", () => {
  const choice = { only: [], whole: false, alone: false, slow: false, everywhere: false };
  const shards = [1, 2, 3].map((index) =>
    handJobs({ ...choice, shard: { index, of: 3 }, seed: String(index) }).map(({ name }) => name),
  );
  const all = handJobs({ ...choice, shard: { index: 1, of: 1 }, seed: "4" }).map(({ name }) => name);
  expect(shards.flat().toSorted()).toEqual(all.toSorted());
});
