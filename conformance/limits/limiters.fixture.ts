import type { Incoming, Reply, Serve } from "./simulated.fixture.ts";
import { replyOf } from "./simulated.fixture.ts";

/** A small limiter: its quota, its window in seconds, and the bucket that a request counts in. */
export interface Small {
  quota: number;
  windowSeconds: number;
  bucketOf?: (incoming: Incoming) => string;
}

/** What a limiter decides, by the server's clock in milliseconds. */
export interface Decision {
  allowed: boolean;
  left: number;
  resetsAt: number;
  waitMs: number;
}

export type Decide = (bucket: string, at: number) => Decision;

const serving =
  ({ quota, bucketOf = ({ account }) => account }: Small, decide: Decide): Serve =>
  (incoming) =>
    replyFor(quota, decide(bucketOf(incoming), incoming.at));

/** A decision in the contract's words. */
export const replyFor = (quota: number, { allowed, left, resetsAt, waitMs }: Decision): Reply =>
  replyOf({
    allowed,
    limit: quota,
    remaining: Math.max(0, Math.floor(left)),
    reset: Math.ceil(resetsAt / 1000),
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });

/** Fixed windows. @param begin the time at which the window of a request begins */
export function fixedWindow({ quota, windowSeconds }: Small, begin: (at: number) => number): Decide {
  const windows = new Map<string, { endsAt: number; count: number }>();
  return (bucket, at) => {
    let window = windows.get(bucket);
    if (window === undefined || window.endsAt <= at)
      windows.set(bucket, (window = { endsAt: begin(at) + 1000 * windowSeconds, count: 0 }));
    const allowed = window.count < quota;
    if (allowed) window.count += 1;
    return { allowed, left: quota - window.count, resetsAt: window.endsAt, waitMs: window.endsAt - at };
  };
}

export function slidingLog({ quota, windowSeconds }: Small): Decide {
  const log = new Map<string, number[]>();
  return (bucket, at) => {
    const kept = (log.get(bucket) ?? []).filter((time) => time > at - 1000 * windowSeconds);
    const allowed = kept.length < quota;
    if (allowed) kept.push(at);
    log.set(bucket, kept);
    const resetsAt = (kept[0] ?? at) + 1000 * windowSeconds;
    return { allowed, left: quota - kept.length, resetsAt, waitMs: resetsAt - at };
  };
}

export function tokenBucket({ quota, windowSeconds }: Small, perSecond = quota / windowSeconds): Decide {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (bucket, at) => {
    const last = buckets.get(bucket) ?? { tokens: quota, at };
    const tokens = Math.min(quota, last.tokens + ((at - last.at) * perSecond) / 1000);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    buckets.set(bucket, { tokens: left, at });
    return {
      allowed,
      left,
      resetsAt: at + ((quota - left) * 1000) / perSecond,
      waitMs: Math.max(0, ((1 - left) * 1000) / perSecond),
    };
  };
}

/** The weighted counter of two aligned windows; `exact` waits until the estimate really falls below the quota. */
export function weightedCounter({ quota, windowSeconds }: Small): Decide {
  const ms = 1000 * windowSeconds;
  const counts = new Map<string, number>();
  return (bucket, at) => {
    const index = Math.floor(at / ms);
    const own = counts.get(`${bucket} ${index}`) ?? 0;
    const before = counts.get(`${bucket} ${index - 1}`) ?? 0;
    const share = 1 - (at % ms) / ms;
    const allowed = before * share + own + 1 <= quota;
    if (allowed) counts.set(`${bucket} ${index}`, own + 1);
    const count = own + (allowed ? 1 : 0);
    const end = (index + 1) * ms;
    // The share of the last window that leaves room for one more.
    const room = quota - 1 - own;
    const waitMs =
      room >= 0 && before > 0
        ? ms * (1 - Math.max(0, room / before)) - (at % ms)
        : end - at + ms * Math.max(0, 1 - (quota - 1) / Math.max(1, own));
    return { allowed, left: quota - before * share - count, resetsAt: end, waitMs: Math.max(1, waitMs) };
  };
}

export const lawful: Readonly<Record<string, (small: Small) => Serve>> = {
  aligned: (small) =>
    serving(
      small,
      fixedWindow(small, (at) => at - (at % (1000 * small.windowSeconds))),
    ),
  "first-request": (small) =>
    serving(
      small,
      fixedWindow(small, (at) => at),
    ),
  sliding: (small) => serving(small, slidingLog(small)),
  "token-bucket": (small) => serving(small, tokenBucket(small)),
};

export const served = serving;
