import { afterEach, expect, it, vi } from "vitest";
import { turn } from "./turn.ts";

afterEach(() => vi.restoreAllMocks());

it.each([
  [4, ["first", "second", "other"]],
  [11, ["first", "other", "second"]],
])("with works of %i ms, later arrivals are seen after %j", async (ms, order) => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const seen: string[] = [];
  const work = async (name: string): Promise<void> => {
    await turn();
    seen.push(name);
    now += ms;
  };
  const works = [work("first"), work("second")];
  setImmediate(() => seen.push("other"));
  await Promise.all(works);
  await new Promise(setImmediate);
  expect(seen).toEqual(order);
});
