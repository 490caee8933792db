import type { Allowance, Clock, Limiter } from "../parts.ts";

/**
 * The kind of windows. `aligned`: at multiples of the window's length since the epoch, the same for all accounts.
 * `first-request`: from the first request of a bucket. `sliding`: the window that ends now.
 */
export type WindowKind = "aligned" | "first-request" | "sliding";

export interface LimiterOptions {
  clock: Clock;
  windowSeconds: number;
  kind: WindowKind;
  /** The most buckets kept; beyond it the least recently used is dropped. */
  maxBuckets?: number;
}

interface Window {
  endsAt: number;
  count: number;
}

/** An in-memory limiter for one process. Refused requests do not count. */
export function createLimiter(options: LimiterOptions): Limiter {
  const take = options.kind === "sliding" ? slidingWindows(options) : fixedWindows(options);
  return { take: async (bucket, quota) => take(bucket, quota) };
}

type Take = (bucket: string, quota: number) => Allowance;

function fixedWindows({ clock, windowSeconds, kind, maxBuckets = 100_000 }: LimiterOptions): Take {
  const length = windowSeconds * 1000;
  // Buckets in the order in which their windows end, since all are equally long; expired ones come first.
  const windows = new Map<string, Window>();

  return (bucket, quota) => {
    const now = clock.now();
    // A window that ends too far ahead was started before the clock was set back, and would refuse for that long.
    const isOver = ({ endsAt }: Window): boolean => endsAt <= now || endsAt > now + length;
    forgetWhile(windows, isOver);
    let window = windows.get(bucket);
    if (window === undefined || isOver(window)) {
      const startsAt = kind === "aligned" ? Math.floor(now / length) * length : now;
      window = { endsAt: startsAt + length, count: 0 };
      windows.delete(bucket);
      windows.set(bucket, window);
      keepAtMost(windows, maxBuckets);
    }
    const allowed = window.count < quota;
    if (allowed) window.count += 1;
    return allowance(allowed, quota, quota - window.count, window.endsAt, now);
  };
}

function slidingWindows({ clock, windowSeconds, maxBuckets = 100_000 }: LimiterOptions): Take {
  const length = windowSeconds * 1000;
  // Times of admitted requests, oldest first; buckets in the order of their last request.
  const admitted = new Map<string, number[]>();

  return (bucket, quota) => {
    const now = clock.now();
    // Times in the future were recorded before the clock was set back.
    const counts = (moment: number): boolean => moment + length > now && moment <= now;
    forgetWhile(admitted, (moments) => !counts(moments.at(-1) ?? 0));
    const moments = (admitted.get(bucket) ?? []).filter(counts);
    const allowed = moments.length < quota;
    if (allowed) {
      moments.push(now);
      admitted.delete(bucket);
      admitted.set(bucket, moments);
      keepAtMost(admitted, maxBuckets);
    }
    return allowance(allowed, quota, quota - moments.length, (moments[0] ?? now) + length, now);
  };
}

/**
 * The verdict on one request.
 * @param endsAt epoch ms at which the window ends
 */
export const allowance = (
  allowed: boolean,
  limit: number,
  remaining: number,
  endsAt: number,
  now: number,
): Allowance => ({
  allowed,
  limit,
  remaining: Math.max(0, remaining),
  reset: Math.ceil(endsAt / 1000),
  retryAfter: Math.max(1, Math.ceil((endsAt - now) / 1000)),
});

function forgetWhile<Kept>(buckets: Map<string, Kept>, expired: (kept: Kept) => boolean): void {
  for (const [bucket, kept] of buckets) {
    if (!expired(kept)) return;
    buckets.delete(bucket);
  }
}

function keepAtMost(buckets: Map<string, unknown>, size: number): void {
  const oldest = buckets.keys().next();
  if (buckets.size > size && !oldest.done) buckets.delete(oldest.value);
}
