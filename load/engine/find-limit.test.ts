import { expect, test } from "vitest";
import { findLimit, type FoundLimit, type Seen } from "./find-limit.ts";

type Limiter = (at: number) => boolean;

const fixed = (quota: number, windowMs: number, alignedTo?: number): Limiter => {
  let window = { endsAt: -Infinity, count: 0 };
  return (at) => {
    if (at >= window.endsAt) {
      const endsAt = alignedTo === undefined ? at + windowMs : at - ((at - alignedTo) % windowMs) + windowMs;
      window = { endsAt, count: 0 };
    }
    return window.count < quota && (window.count += 1) > 0;
  };
};

const sliding = (quota: number, windowMs: number): Limiter => {
  const log: number[] = [];
  return (at) => {
    while (log.length > 0 && log[0]! <= at - windowMs) log.shift();
    return log.length < quota && log.push(at) > 0;
  };
};

const bucket = (capacity: number, perSecond: number): Limiter => {
  let state = { tokens: capacity, at: 0 };
  return (at) => {
    const tokens = Math.min(capacity, state.tokens + ((at - state.at) * perSecond) / 1000);
    state = { tokens: tokens >= 1 ? tokens - 1 : tokens, at };
    return tokens >= 1;
  };
};

/** Searches a limiter by a clock that jumps over pauses; each answer takes 2 ms. */
function searched(
  limiter: Limiter,
  {
    likelySeconds = 60,
    before = 0,
    after,
  }: { likelySeconds?: number; before?: number; after?: (ms: number) => void } = {},
): Promise<FoundLimit> {
  let now = 1_000_000;
  return findLimit({
    now: () => now,
    pause: (ms) => Promise.resolve(void (now += ms)),
    burst: (amount) =>
      Promise.resolve(
        Array.from({ length: amount }, (): Seen => {
          const admitted = limiter(now + 1);
          const seen = { sentAt: now, answeredAt: now + 2, admitted, status: admitted ? 200 : 429 };
          now += 2;
          return seen;
        }),
      ),
    say: () => undefined,
    maxRequests: 2_000,
    likelySeconds,
    before,
  }).finally(() => after?.(now - 1_000_000));
}

test.each([
  ["aligned windows", fixed(120, 60_000, 15_000), "fixed", 120, 60],
  ["windows from the first request", fixed(200, 60_000), "fixed", 200, 60],
  ["short windows", fixed(10, 1_000), "fixed", 10, 1],
  ["long windows", fixed(1_000, 3_600_000), "fixed", 1_000, 3_600],
  ["a sliding log", sliding(120, 60_000), "sliding", 120, 60],
  ["a token bucket", bucket(120, 2), "token-bucket", 120, 60],
] as const)("finds the quota, the window and the kind of %s", async (_, limiter, kind, quota, window) => {
  const found = await searched(limiter, { likelySeconds: Math.max(60, window) });
  expect(found).toMatchObject({ kind, refusedWith: 429, doubts: [] });
  expect(Math.abs(found.quota! - quota)).toBeLessThanOrEqual(kind === "token-bucket" ? 2 : 0);
  expect(found.windowSeconds!.least).toBeLessThanOrEqual(1.02 * window);
  expect(found.windowSeconds!.most).toBeGreaterThanOrEqual(0.98 * window);
  expect(found.windowSeconds!.most - found.windowSeconds!.least).toBeLessThan(0.12 * window + 0.1);
});

test("a server that never refuses has no quota", async () => {
  expect(await searched(() => true)).toMatchObject({ kind: "none", quota: null, windowSeconds: null });
});

test("a window that does not end is not measured", async () => {
  let took = Infinity;
  const found = await searched(fixed(5, 1e12), { after: (ms) => (took = ms) });
  expect(found).toMatchObject({ kind: "unknown", quota: 5, windowSeconds: null });
  expect(found.doubts).not.toEqual([]);
  expect(took).toBeLessThan(5 * 60_000);
});

test("requests of the set-up, which expire one by one, make no bucket of a sliding log", async () => {
  const limiter = sliding(120, 60_000);
  for (let request = 0; request < 6; request += 1) limiter(1_000_000 - 9_000 + 1_000 * request);
  expect(await searched(limiter, { before: 6 })).toMatchObject({ kind: "sliding", quota: 120, doubts: [] });
});

test("refusals that prolong a window are recognised by a pause, and end the search", async () => {
  let [count, endsAt] = [0, -Infinity];
  const prolonging: Limiter = (at) => {
    if (at >= endsAt) [count, endsAt] = [0, at + 10_000];
    const admitted = (count += 1) <= 40;
    if (!admitted) endsAt = at + 10_000;
    return admitted;
  };
  let took = Infinity;
  const found = await searched(prolonging, { after: (ms) => (took = ms) });
  expect(found).toMatchObject({ kind: "unknown", quota: 40, windowSeconds: null });
  expect(found.doubts.join()).toContain("prolong");
  expect(took).toBeLessThan(5 * 60_000);
});

test("two counts that requests go to at random are not told as one limit for sure", async () => {
  let state = 7;
  const next = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 16;
  for (const stagger of [0, 9, 20]) {
    const counts = [fixed(60, 60_000), fixed(60, 60_000)];
    if (stagger > 0) counts[0]!(1_000_000 - 1_000 * stagger);
    const found = await searched((at) => counts[next() % 2]!(at));
    expect(found.doubts, `${found.kind}, ${found.quota}: ${found.restsOn}`).not.toEqual([]);
  }
});
