import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Waiting } from "./waiting.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A run's time on a server whose clock notes how far it is set ahead. */
function timeOf(advance?: (seconds: number) => void) {
  const leaps: number[] = [];
  const waiting = new Waiting(0, undefined, {
    advance: async (seconds) => {
      advance?.(seconds);
      leaps.push(seconds);
    },
  });
  return { waiting, sleepers: waiting.sleepers!, leaps };
}

/** All that happens without any time passing. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

it("sets the clock ahead instead of waiting, by whole seconds, regardless of the budget", async () => {
  const { waiting, leaps } = timeOf();
  await waiting.pause(59_500, "the next window");
  expect(leaps).toEqual([60]);
  expect(waiting.now()).toBe(1_060_000);
  expect(waiting.spentMs).toBe(0);
});

it("leaps once every check under way waits, to the first that waits", async () => {
  const { waiting, sleepers, leaps } = timeOf();
  const [one, other] = [{}, {}];
  const ends = [sleepers.begin(one), sleepers.begin(other)];
  const first = waiting.pause(60_000, "a window", one);
  await settle();
  expect(leaps).toEqual([]);
  await waiting.pause(2_000, "a permit", other);
  expect(leaps).toEqual([2]);
  await settle();
  expect(leaps).toEqual([2]);
  ends[1]!();
  await first;
  expect(leaps).toEqual([2, 58]);
});

it("does not leap while a request is under way", async () => {
  const { waiting, sleepers, leaps } = timeOf();
  const answered = sleepers.send();
  const paused = waiting.pause(1_000, "a permit");
  await settle();
  expect(leaps).toEqual([]);
  answered();
  await paused;
  expect(leaps).toEqual([1]);
});

it("counts a check that waits for another as waiting", async () => {
  const { waiting, sleepers, leaps } = timeOf();
  const [one, other] = [{}, {}];
  sleepers.begin(one);
  sleepers.begin(other);
  const idle = sleepers.idle(other, waiting.pause(3_000, "a window", one));
  await idle;
  expect(leaps).toEqual([3]);
});

it("takes the time of a clock that is ahead already from the first Date header", () => {
  const { waiting, sleepers } = timeOf();
  sleepers.learn(undefined);
  sleepers.learn(new Date(1_000_000 + 604_800_000).toUTCString());
  expect(waiting.now()).toBe(1_000_000 + 604_800_000);
  sleepers.learn(new Date(0).toUTCString());
  expect(waiting.now()).toBe(1_000_000 + 604_800_000);
});

it("leaves a check unverified when the clock cannot be set ahead", async () => {
  const { waiting } = timeOf(() => {
    throw new Error("clock.command faketime 60 fails");
  });
  await expect(waiting.pause(60_000, "a window")).rejects.toThrow("clock.command faketime 60 fails");
});

it("ends a wait when the run is interrupted", async () => {
  const stop = new AbortController();
  const waiting = new Waiting(0, undefined, { signal: stop.signal, advance: () => new Promise(() => {}) });
  const paused = waiting.pause(60_000, "a window");
  stop.abort();
  await expect(paused).rejects.toThrow("interrupted");
});
