import { limitedOperations } from "../../../generated/contract.ts";
import type { Clock, Limiter, Parts } from "../../../reference-server/parts.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";
import { onAnswers, onPart, variationsOf, type Change } from "../../changes/mutant.ts";

/** Long enough for a full-quota burst on a busy machine, short enough to wait for. */
const windowSeconds = 20;

/** A limiter that refills gradually at an even rate. */
function tokenBuckets(clock: Clock): Limiter {
  const buckets = new Map<string, { permits: number; at: number }>();
  return {
    take: async (bucket, quota) => {
      const now = clock.now();
      const msPerPermit = (1000 * windowSeconds) / quota;
      const { permits, at } = buckets.get(bucket) ?? { permits: quota, at: now };
      const filled = Math.min(quota, permits + (now - at) / msPerPermit);
      const allowed = filled >= 1;
      const left = allowed ? filled - 1 : filled;
      buckets.set(bucket, { permits: left, at: now });
      return {
        allowed,
        limit: quota,
        remaining: Math.floor(left),
        reset: Math.ceil((now + (quota - left) * msPerPermit) / 1000),
        retryAfter: Math.max(1, Math.ceil(((1 - left) * msPerPermit) / 1000)),
      };
    },
  };
}

const isLimited = (operation: string | null): boolean =>
  (limitedOperations as readonly (string | null)[]).includes(operation);

/** Records an event for each Call that the limiter refuses, modelled on the account's last admitted one. */
const recordingRefusals = (parts: Parts): Parts => {
  const { books, limiter } = parts;
  const lastCalls = new Map<string, NewUsageEvent>();
  return {
    ...parts,
    books: {
      ...books,
      settle: (executionId, event) => {
        lastCalls.set(event.account_id, event);
        return books.settle(executionId, event);
      },
    },
    limiter: {
      take: async (bucket, quota) => {
        const allowance = await limiter.take(bucket, quota);
        const [operation, , account = ""] = bucket.split(":");
        const last = operation === "call" && !allowance.allowed ? lastCalls.get(account) : undefined;
        if (last !== undefined) await books.record({ ...last, ...refusedEvent });
        return allowance;
      },
    },
  };
};

const refusedEvent = {
  execution_id: null,
  success: false,
  billable_success: false,
  charge_outcome: "failed_not_charged",
  reason_code: "validation_error",
  settled_amount: 0,
} as const;

/** Position, size and headers of windows, which the contract leaves to the deployment. */
export const variations = variationsOf({
  "Limits: how windows lie is not stated": {
    "aligns windows to multiples of their length": {
      config: { windowSeconds, windowKind: "aligned" },
    },
    "begins a window with its first request": {
      config: { windowSeconds, windowKind: "first-request" },
    },
    "uses sliding windows": {
      config: { windowSeconds, windowKind: "sliding" },
    },
    "refills permits one by one": {
      config: { windowSeconds },
      ...onPart("limiter", (_, { clock }) => tokenBuckets(clock)),
    },
  },
  "Limits: default quota": {
    "has different quotas, which its profile declares": {
      config: {
        windowSeconds,
        quotas: { discover: 70, inspect: 90, probe: 50, call: 80, anonymous: 100 },
      },
    },
  },
  "The service stores usage events: of refused requests nothing is said": {
    "records a usage event for a Call that it refuses with 429": { parts: recordingRefusals },
  },
  "Limits: of the rate-limit headers only Retry-After is 'always present on 429'": {
    "sends X-RateLimit headers only on every other answer": everyOther(),
  },
  "Limits: 'Rate-limit response headers'; on which responses is not shown": {
    "sends X-RateLimit headers only on 429s": onAnswers(
      ({ operation }) => isLimited(operation),
      (answer) => (answer.status === 429 ? answer : withoutLimits(answer)),
    ),
    "sends X-RateLimit headers only on admitted requests": onAnswers(
      ({ operation }) => isLimited(operation),
      (answer) => (answer.status === 429 ? withoutLimits(answer) : answer),
    ),
  },
});

/** Leaves the rate-limit headers out of the second, fourth, … answer of each operation, status and key. */
function everyOther(): Change {
  const counts = new Map<string, number>();
  return onAnswers(
    (request) => isLimited(request.operation),
    (answer, { operation, headers: sent }) => {
      const kind = `${operation} ${answer.status} ${sent["authorization"]}`;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count % 2 === 1 ? answer : withoutLimits(answer);
    },
  );
}

function withoutLimits<Answer extends { headers: Record<string, string | string[] | undefined> }>(
  answer: Answer,
): Answer {
  const headers = Object.entries(answer.headers).filter(([name]) => !name.startsWith("x-ratelimit-"));
  return { ...answer, headers: Object.fromEntries(headers) };
}
