import { expect, it } from "vitest";
import { gathered, padded } from "./gathered.ts";

/** Reads that the test answers: the keys of each, and how it ends. */
function heldReads() {
  const begun: { keys: readonly string[]; end: PromiseWithResolvers<ReadonlyMap<string, string>> }[] = [];
  const begins = [Promise.withResolvers<undefined>()];
  const ask = gathered<string>((keys) => {
    const end = Promise.withResolvers<ReadonlyMap<string, string>>();
    begun.push({ keys, end });
    begins.push(Promise.withResolvers());
    begins[begun.length - 1]!.resolve(undefined);
    return end.promise;
  });
  const read = async (index: number) => {
    await begins[index]!.promise;
    return begun[index]!;
  };
  return { ask, read };
}

it("reads keys together that are asked for together, and each key once", async () => {
  const { ask, read } = heldReads();
  const answers = Promise.all([ask(["a", "b"]), ask(["b"]), ask(["none"])]);
  const only = await read(0);
  expect(only.keys).toEqual(["a", "b", "none"]);
  only.end.resolve(new Map(Object.entries({ a: "A", b: "B" })));
  const [one, two, three] = await answers;
  expect([one.get("a"), two.get("b"), three.get("none")]).toEqual(["A", "B", undefined]);
});

it("answers no question with a read that began before it", async () => {
  const { ask, read } = heldReads();
  const early = ask(["a"]);
  const first = await read(0);
  const late = ask(["a"]);
  first.end.resolve(new Map([["a", "old"]]));
  (await read(1)).end.resolve(new Map([["a", "new"]]));
  expect([(await early).get("a"), (await late).get("a")]).toEqual(["old", "new"]);
});

it("rejects only the questions of a failed read", async () => {
  const { ask, read } = heldReads();
  const early = ask(["a"]);
  const first = await read(0);
  const late = ask(["a"]);
  first.end.reject(new Error("the database is gone"));
  await expect(early).rejects.toThrow("the database is gone");
  (await read(1)).end.resolve(new Map([["a", "A"]]));
  expect((await late).get("a")).toBe("A");
});

it("pads keys to a power of two", () => {
  expect([1, 2, 3, 5, 64, 65].map((count) => padded(new Array(count).fill("k")).length)).toEqual([
    1, 2, 4, 8, 64, 128,
  ]);
  expect(padded(["a", "b", "c"])).toEqual(["a", "b", "c", "c"]);
});
