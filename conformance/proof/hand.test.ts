import { expect, test } from "vitest";
import { handJobs } from "./hand.ts";

const choice = { only: [], whole: false, alone: false, slow: false, everywhere: false };

test("the shards of several runs complement each other", () => {
  const shards = [1, 2, 3].map((index) =>
    handJobs({ ...choice, shard: { index, of: 3 }, seed: String(index) }).map(({ name }) => name),
  );
  const all = handJobs({ ...choice, shard: { index: 1, of: 1 }, seed: "4" }).map(({ name }) => name);
  expect(shards.flat().toSorted()).toEqual(all.toSorted());
});

test("a choice of names leaves out the others", () => {
  const everything = { index: 1, of: 1 };
  const [first] = handJobs({ ...choice, shard: everything, seed: "1" });
  expect(handJobs({ ...choice, shard: everything, seed: "1", among: [first!.name] })).toEqual([first]);
});
