import { expect, test } from "vitest";
import { byHand } from "./hand.ts";
import { chosenOf, namedIn, type Choice } from "./prove.ts";
import { lostSince, renewed, unproved, type Results } from "./store.ts";
import { mutantsOfSpec } from "./spec/prove.ts";

const before: Results = {
  day: "2026-11-24",
  subjects: 6,
  killed: ["CALL-07 gone", "CALL-07 one", "CALL-08 two"],
  survived: ["CALL-09 lives", "CALL-09 lived"],
  unmet: [],
  quiet: ["an oddity"],
  alarmed: ["another"],
  seenThrough: ["a parrot"],
  praised: [],
  excused: ["CALL-09 lives", "CALL-09 lived"],
};
const nothing: Results = { ...before, killed: [], survived: [], quiet: [], alarmed: [], seenThrough: [] };
const ids = ["CALL-07 one", "CALL-07 new", "CALL-08 two", "CALL-09 lives", "CALL-09 lived", "another", "new"];

const choice: Choice = { only: [], shard: { index: 1, of: 1 }, seed: "1", json: "" };

test("a run renews its own results, and keeps all others that still exist", () => {
  const found = [
    { id: "CALL-07 one", fate: "survived" },
    { id: "CALL-07 new", fate: "killed" },
    { id: "CALL-09 lived", fate: "killed" },
    { id: "another", fate: "quiet" },
  ] as const;
  const after = renewed(before, found, ids, "2026-11-25", ["CALL-07 one"]);
  expect(after).toEqual({
    day: "2026-11-25",
    subjects: 7,
    killed: ["CALL-07 new", "CALL-08 two", "CALL-09 lived"],
    survived: ["CALL-07 one", "CALL-09 lives"],
    unmet: [],
    quiet: ["another"],
    alarmed: [],
    seenThrough: [],
    praised: [],
    excused: ["CALL-07 one", "CALL-09 lives"],
  });
  expect(unproved(after, ids)).toEqual(["new"]);
  expect(lostSince(before, found)).toEqual(["CALL-07 one"]);
});

test("the shards of several runs complement each other", () => {
  const shards = [1, 2, 3].map((index) =>
    chosenOf(byHand, { ...choice, shard: { index, of: 3 }, seed: String(index) }, before),
  );
  const all = chosenOf(byHand, { ...choice, seed: "4" }, before);
  expect(shards.flat().toSorted()).toEqual(all.toSorted());
});

test("what has a result can be left out, and a name that nothing has is refused", () => {
  const some = byHand.subjects.slice(1).map(({ id }) => id);
  const unrun = chosenOf(byHand, { ...choice, unrun: true }, { ...nothing, killed: some });
  expect(unrun).toEqual([byHand.subjects[0]!.id]);
  expect(() => chosenOf(byHand, { ...choice, only: ["ZZZZ-99"] }, before)).toThrow("ZZZZ-99");
});

test("a mutant of the spec is found by clause, operation, family, place and words", () => {
  const { subjects } = mutantsOfSpec;
  const id = "field discover 200 results.*.provider_name of another type";
  for (const name of ["DISC-10", "discover", "field", "provider_name", "results.*.provider_name"])
    expect(
      namedIn(subjects, [name]).map((subject) => subject.id),
      name,
    ).toContain(id);
  expect(namedIn(subjects, ["discover 200 results.*.provider_name of"]).map((subject) => subject.id)).toEqual(
    [id],
  );
});
