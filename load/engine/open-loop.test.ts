import { expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { openLoop } from "./open-loop.ts";
import { parseStage, scheduleOf, steady } from "./schedule.ts";

/** A clock that stands still except for pauses and explicit advances. */
function heldClock(): Clock & { time: number } {
  return {
    time: 1_000_000,
    now() {
      return this.time;
    },
    async pause(milliseconds) {
      this.time += Math.max(0, milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("a late sender keeps the number of starts, and reports how late they were", async () => {
  const clock = heldClock();
  const startAt = clock.time;
  const starts: number[] = [];
  const late: number[] = [];
  await openLoop({
    schedule: scheduleOf(steady(100, 0.1)),
    clock,
    onStart: (ms) => late.push(Math.round(ms)),
    begin: (_, startedAt, ended) => {
      starts.push(Math.round(startedAt - startAt));
      // The third start delays the sender for longer than two intervals.
      if (starts.length === 3) clock.time += 25;
      ended();
    },
  });
  expect(starts).toEqual([0, 10, 20, 45, 45, 50, 60, 70, 80, 90]);
  expect(late).toEqual([0, 0, 0, 15, 5, 0, 0, 0, 0, 0]);
});

test("a start does not wait for those before it, up to a bound", async () => {
  const ends: (() => void)[] = [];
  const endAll = (): void => ends.splice(0).forEach((end) => end());
  let underWay = 0;
  let most = 0;
  const { begun, leftOut } = await openLoop({
    schedule: scheduleOf(steady(10, 1)),
    clock: heldClock(),
    maxUnderWay: 8,
    begin: (index, _, ended) => {
      most = Math.max(most, (underWay += 1));
      ends.push(ended);
      if (index === 7) setImmediate(endAll);
    },
    cut: endAll,
    drainSeconds: 0.01,
  });
  expect(most).toBeGreaterThanOrEqual(8);
  expect(begun + leftOut).toBe(10);
});

test("work that does not end is cut when it has had its time", async () => {
  let end = (): void => undefined;
  await openLoop({
    schedule: scheduleOf(steady(10, 0.1)),
    clock: heldClock(),
    begin: (_, _startedAt, ended) => void (end = ended),
    cut: () => end(),
    drainSeconds: 0.01,
  });
});

test("several processes divide one schedule up", async () => {
  const clock = heldClock();
  const share = async (index: number): Promise<number[]> => {
    const mine: number[] = [];
    await openLoop({
      schedule: scheduleOf(steady(10, 1)),
      clock,
      share: { index, of: 3, startAt: clock.time },
      begin: (work, _, ended) => {
        mine.push(work);
        ended();
      },
    });
    return mine;
  };
  expect([await share(0), await share(1), await share(2)]).toEqual([
    [0, 3, 6, 9],
    [1, 4, 7],
    [2, 5, 8],
  ]);
});

test("the rate of a stage changes evenly from that before it", () => {
  const { total, seconds, startMs } = scheduleOf(
    ["10s:20", "5s:20", "0s:5", "10s:5"].map((text) => parseStage(text, "--stages")),
  );
  expect([total, seconds]).toEqual([100 + 100 + 50, 25]);
  // A ramp from 0 to 20 in 10 s has a quarter of its starts in the first half.
  expect([0, 25, 100, 150, 200, 225].map((index) => Math.round(startMs(index)))).toEqual([
    0, 5000, 10_000, 12_500, 15_000, 20_000,
  ]);
});

test.each(["30s", "s:20", "30:20", "30s:-1", "30s:fast"])("%s is not a stage", (text) => {
  expect(() => parseStage(text, "--stages")).toThrow("30s:200");
});
