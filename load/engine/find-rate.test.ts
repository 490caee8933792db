import { expect, test } from "vitest";
import { findRate, type Trial } from "./find-rate.ts";

/** A server that keeps its condition up to a rate, except in some of its trials. */
const serverTo = (capacity: number, hiccups: readonly number[] = []) => {
  let count = 0;
  return (rate: number): Promise<Trial> =>
    Promise.resolve({ rate, kept: rate <= capacity && !hiccups.includes((count += 1)), says: "" });
};

test.each([3, 47, 1_000])("finds a capacity of %d a second", async (capacity) => {
  const { highest, lowestMissed, endedBy } = await findRate({
    attempt: serverTo(capacity),
    first: 10,
    max: 10_000,
  });
  expect(endedBy).toBeNull();
  expect(highest!.rate).toBeLessThanOrEqual(capacity);
  expect(lowestMissed!.rate).toBeGreaterThan(capacity);
  expect(lowestMissed!.rate / highest!.rate).toBeLessThanOrEqual(1.1);
});

test("one missed trial is not a limit", async () => {
  const { highest } = await findRate({ attempt: serverTo(1_000, [2, 5]), first: 10, max: 10_000 });
  expect(highest!.rate).toBeGreaterThan(900);
});

test("one trial that says nothing about the server does not end the search", async () => {
  const server = serverTo(1_000);
  let count = 0;
  const attempt = async (rate: number): Promise<Trial> => ({
    ...(await server(rate)),
    ...((count += 1) === 3 && { invalid: "late" }),
  });
  const { highest, endedBy } = await findRate({ attempt, first: 10, max: 10_000 });
  expect([highest!.rate > 900, endedBy]).toEqual([true, null]);
});

test("a server that keeps nothing has no highest rate", async () => {
  const { highest, lowestMissed } = await findRate({ attempt: serverTo(0), first: 10, max: 100 });
  expect(highest).toBeNull();
  expect(lowestMissed!.rate).toBeLessThan(1);
});

test("the search says why it ends below a limit", async () => {
  const bounded = await findRate({ attempt: serverTo(1_000), first: 10, max: 100 });
  expect([bounded.highest!.rate, bounded.endedBy]).toEqual([100, "no higher rate than 100 can be tried"]);
  const invalid = await findRate({
    attempt: (rate) =>
      Promise.resolve({ rate, kept: rate < 50, says: "", ...(rate > 50 && { invalid: "late" }) }),
    first: 10,
    max: 100,
  });
  expect([invalid.highest!.rate, invalid.endedBy]).toEqual([40, "late"]);
});
