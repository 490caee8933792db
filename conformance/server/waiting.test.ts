import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Waiting } from "./waiting.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("counts time once when several checks wait at the same time, and says what for", async () => {
  const said: string[] = [];
  const waiting = new Waiting(100, (text) => said.push(text));
  const both = [waiting.pause(60_000, "the next window of call"), waiting.pause(40_000, "Retry-After")];
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(both);
  expect(waiting.spentMs).toBe(60_000);
  expect(waiting.leftMs).toBe(40_000);
  expect(said).toEqual([
    "waiting up to 60 s for the next window of call",
    "waiting up to 40 s for Retry-After",
  ]);
});

it("does not wait longer than the budget allows, and names the flag that raises it", async () => {
  const waiting = new Waiting(30);
  await expect(waiting.pause(31_000, "a window")).rejects.toThrow(
    "the run's budget of waiting, 30 s, does not allow for more; --wait SECONDS raises it",
  );
  expect(waiting.spentMs).toBe(0);
  const over = waiting.begin("an answer", 60_000);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(waiting.leftMs).toBe(0);
  over();
});
