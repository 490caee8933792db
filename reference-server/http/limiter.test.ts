import { describe, expect, it } from "vitest";
import { createLimiter, type WindowKind } from "./limiter.ts";

const at = (start: number) => {
  const clock = { time: start, now: () => clock.time };
  return clock;
};

describe("every window", () => {
  for (const kind of ["aligned", "first-request", "sliding"] satisfies WindowKind[]) {
    it(`admits exactly the quota, counts down to zero and admits again at Reset (${kind})`, async () => {
      const clock = at(1_000_000_017_250);
      const limiter = createLimiter({ clock, windowSeconds: 60, kind });
      const remaining: number[] = [];
      for (let i = 0; i < 3; i++) remaining.push((await limiter.take("a", 3)).remaining);
      expect(remaining).toEqual([2, 1, 0]);

      const refused = await limiter.take("a", 3);
      expect(refused).toMatchObject({ allowed: false, limit: 3, remaining: 0 });
      clock.time += refused.retryAfter * 1000;
      expect((await limiter.take("a", 3)).allowed).toBe(true);
    });

    it(`refuses one millisecond before the window ends (${kind})`, async () => {
      const clock = at(1_000_020_000_000);
      const limiter = createLimiter({ clock, windowSeconds: 60, kind });
      const first = await limiter.take("a", 1);
      expect(first.reset).toBe(1_000_020_060);
      clock.time = first.reset * 1000 - 1;
      expect(await limiter.take("a", 1)).toMatchObject({ allowed: false, retryAfter: 1 });
      clock.time += 1;
      expect((await limiter.take("a", 1)).allowed).toBe(true);
    });

    it(`restarts when the clock is set back, and admits when it is set forward (${kind})`, async () => {
      const clock = at(1_000_020_000_000);
      const limiter = createLimiter({ clock, windowSeconds: 60, kind });
      await limiter.take("a", 1);
      clock.time -= 3_600_000;
      const back = await limiter.take("a", 1);
      expect(back).toMatchObject({ allowed: true, remaining: 0 });
      expect(back.reset * 1000).toBeLessThanOrEqual(clock.time + 60_000);
      expect(await limiter.take("a", 1)).toMatchObject({ allowed: false });
      clock.time += 3_600_000;
      expect(await limiter.take("a", 1)).toMatchObject({ allowed: true });
    });

    it(`keeps buckets apart and forgets the oldest beyond its bound (${kind})`, async () => {
      const limiter = createLimiter({ clock: at(0), windowSeconds: 60, kind, maxBuckets: 2 });
      await limiter.take("a", 1);
      await limiter.take("b", 1);
      expect((await limiter.take("b", 1)).allowed).toBe(false);
      await limiter.take("c", 1);
      expect((await limiter.take("a", 1)).allowed).toBe(true);
    });
  }
});

it("starts aligned windows at multiples of their length, the others at the first request", async () => {
  const clock = at(90_500);
  const reset = async (kind: WindowKind) =>
    (await createLimiter({ clock, windowSeconds: 60, kind }).take("a", 9)).reset;
  expect(await reset("aligned")).toBe(120);
  expect(await reset("first-request")).toBe(151);
  expect(await reset("sliding")).toBe(151);
});

it("frees one place after another in a sliding window", async () => {
  const clock = at(0);
  const limiter = createLimiter({ clock, windowSeconds: 10, kind: "sliding" });
  await limiter.take("a", 2);
  clock.time = 4000;
  await limiter.take("a", 2);
  expect(await limiter.take("a", 2)).toMatchObject({ allowed: false, reset: 10, retryAfter: 6 });
  clock.time = 10_000;
  expect(await limiter.take("a", 2)).toMatchObject({ allowed: true, remaining: 0, reset: 14 });
});
