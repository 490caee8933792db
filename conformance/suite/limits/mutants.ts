import { limitedOperations, type OperationId } from "../../../generated/contract.ts";
import type { Config, Quotas } from "../../../reference-server/config.ts";
import { allowance } from "../../../reference-server/http/limiter.ts";
import { failure } from "../../../reference-server/http/operation.ts";
import type { Allowance, Limiter, Parts } from "../../../reference-server/parts.ts";
import {
  moving,
  mutantsOf,
  onAnswers,
  onHeaders,
  onPart,
  withBody,
  type Change,
} from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

/** Small quotas in a short window that starts with the first request: quickly used up and soon over. */
const small = {
  windowSeconds: 5,
  windowKind: "first-request",
  quotas: { discover: 30, inspect: 31, probe: 32, call: 33, anonymous: 1000 },
} satisfies Partial<Config>;

const isLimited = ({ operation }: WireRequest): boolean =>
  (limitedOperations as readonly (string | null)[]).includes(operation);
const isRefused = (request: WireRequest, answer: WireAnswer): boolean =>
  isLimited(request) && answer.status === 429;

/** Refuses every request of an operation, and asks to wait a second each time. */
const shut = (id: OperationId): Change =>
  onAnswers(
    ({ operation }) => operation === id,
    (answer) => ({
      ...withBody(429, failure(429, "rate limit"))(answer),
      headers: { ...answer.headers, "content-type": "application/json", "retry-after": "1" },
    }),
  );

const inSmallWindows = (change: Change): Change => ({ ...change, config: small });

/** Wraps the limiter; the bucket is `operation:account:id`. */
const onLimiter = (change: (take: Limiter["take"], parts: Parts) => Limiter["take"]): Change =>
  inSmallWindows(
    onPart("limiter", (limiter, parts) => ({ take: change(limiter.take.bind(limiter), parts) })),
  );

/** Changes the limiter's results. */
const onAllowance = (change: (allowance: Allowance) => Allowance): Change =>
  onLimiter((take) => async (bucket, quota) => change(await take(bucket, quota)));

/** Gives one operation a quota other than the one it states. */
const quotaOff = (operation: keyof Quotas, by: number): Change =>
  onLimiter((take) => async (bucket, quota) => {
    if (!bucket.startsWith(`${operation}:`)) return take(bucket, quota);
    const allowance = await take(bucket, quota + by);
    return { ...allowance, limit: quota, remaining: Math.min(quota, Math.max(0, allowance.remaining - by)) };
  });

const withHeaders = (
  headers: Record<string, string | undefined>,
  chooses: (request: WireRequest, answer: WireAnswer) => boolean = isLimited,
): Change => inSmallWindows(onHeaders(chooses, headers));

/** Changes one header of the four operations; a function receives its old value as a number. */
const withHeader = (name: string, change: (value: number) => string): Change =>
  inSmallWindows(
    onAnswers(
      (request) => isLimited(request),
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, [name]: change(Number(answer.headers[name])) },
      }),
    ),
  );

/** Admits requests past the limiter, and turns the answer into a 429 after they have been executed. */
const refusingTooLate: Change = {
  ...onAllowance((allowance) =>
    allowance.allowed ? allowance : { ...allowance, allowed: true, remaining: -1 },
  ),
  ...onAnswers(
    (request, { headers }) => isLimited(request) && headers["x-ratelimit-remaining"] === "-1",
    ({ headers }) => ({
      status: 429,
      headers: { ...headers, "x-ratelimit-remaining": "0" },
      body: JSON.stringify(failure(429, "Too many requests.")),
    }),
  ),
};

/** Charges a credit for a refused request. */
const chargingRefusals = onLimiter((take, { books }) => async (bucket, quota) => {
  const allowance = await take(bucket, quota);
  const [operation, , accountId] = bucket.split(":");
  if (!allowance.allowed && operation === "call") await moving(books, accountId!, -1);
  return allowance;
});

/** Counts some operations per key: the account's last key replaces the key of the request. */
const byKey = (counts: (operation: string) => boolean = () => true): Change =>
  inSmallWindows({
    parts: (parts) => {
      const lastKey = new Map<string, string>();
      return {
        ...parts,
        accounts: {
          ...parts.accounts,
          async authenticate(token) {
            const caller = await parts.accounts.authenticate(token);
            if ("account" in caller) lastKey.set(caller.account.id, caller.credential.apiKeyId ?? "");
            return caller;
          },
        },
        limiter: {
          take(bucket, quota) {
            const [operation, ...whom] = bucket.split(":");
            const key = counts(operation!) ? `:${lastKey.get(whom.at(-1)!) ?? ""}` : "";
            return parts.limiter.take(bucket + key, quota);
          },
        },
      };
    },
  });

/** Reads the count, pauses as if for another process, and writes it back: concurrent updates are lost. */
const losingUpdates = onLimiter(() => {
  const windows = new Map<string, { count: number; endsAt: number }>();
  return async (bucket, quota) => {
    const found = windows.get(bucket);
    const window =
      found && found.endsAt > Date.now()
        ? found
        : { count: 0, endsAt: Date.now() + 1000 * small.windowSeconds };
    const { count } = window;
    await new Promise((resolve) => setTimeout(resolve, 2));
    const allowed = count < quota;
    windows.set(bucket, { ...window, count: allowed ? count + 1 : count });
    return allowance(allowed, quota, quota - count - 1, window.endsAt, Date.now());
  };
});

/** Keeps refusing whatever was refused once. */
const neverEnding = onLimiter((take) => {
  const ended = new Map<string, Allowance>();
  return async (bucket, quota) => {
    const allowance = await take(bucket, quota);
    if (!allowance.allowed) ended.set(bucket, allowance);
    return ended.has(bucket) ? { ...allowance, allowed: false, remaining: 0 } : allowance;
  };
});

/** Shares one bucket among all keys that the pattern makes equal. */
const oneBucket = (alike: (bucket: string) => string): Change =>
  onLimiter((take) => (bucket, quota) => take(alike(bucket), quota));

/** Windows of another length than the profile declares: the contract's minute. */
const windowsOf = (windowSeconds: number, windowKind: Config["windowKind"]): Change => ({
  config: { ...small, windowSeconds, windowKind },
  profile: (profile) => ({ ...profile, limits: { ...profile.limits, window: 60 } }),
});

/** Gives back half of a quota that was used up once. On a slow machine only a minute keeps its answers close together. */
const grudging: Change = {
  ...onLimiter((take, { clock }) => {
    const usedUpUntil = new Map<string, number>();
    return async (bucket, quota) => {
      const until = usedUpUntil.get(bucket);
      const isLater = until !== undefined && clock.now() >= until;
      const allowance = await take(bucket, isLater ? Math.floor(quota / 2) : quota);
      if (until === undefined && !allowance.allowed) usedUpUntil.set(bucket, 1000 * allowance.reset);
      return { ...allowance, limit: quota };
    };
  }),
  config: { ...small, windowSeconds: 60 },
};

export const mutants = mutantsOf({
  "LIMI-01": { "admits one Discover too many": quotaOff("discover", 1) },
  "LIMI-02": { "admits one Inspect too few": quotaOff("inspect", -1) },
  "LIMI-03": { "admits one Probe too many": quotaOff("probe", 1) },
  "LIMI-04": {
    "admits one Call too few": quotaOff("call", -1),
    "gives Call the quota of Probe": quotaOff("call", small.quotas.probe - small.quotas.call),
  },
  "LIMI-05": {
    "refuses nothing": onAllowance((allowance) => ({ ...allowance, allowed: true })),
    "begins a new window every half minute": windowsOf(30, "first-request"),
    "aligns windows to half-minute marks": windowsOf(30, "aligned"),
  },
  "LIMI-06": {
    "restores only half of a used-up quota": grudging,
    "begins a new window every two minutes": windowsOf(120, "first-request"),
    "aligns windows to two-minute marks": windowsOf(120, "aligned"),
    "refuses the last request of the quota": onAllowance((allowance) => ({
      ...allowance,
      allowed: allowance.allowed && allowance.remaining > 0,
    })),
    "counts every request twice": onLimiter((take) => async (bucket, quota) => {
      await take(bucket, quota);
      return take(bucket, quota);
    }),
  },
  "LIMI-07": {
    "counts each key separately": byKey(),
    "counts the searches of each key separately": byKey((operation) => operation === "discover"),
    "counts the Calls of each key separately": byKey((operation) => operation === "call"),
  },
  "LIMI-08": { "counts all accounts together": oneBucket((bucket) => bucket.split(":")[0]!) },
  "LIMI-09": {
    "counts the four operations together": oneBucket((bucket) => bucket.split(":").slice(1).join(":")),
    "counts Calls together with Probes": oneBucket((bucket) => bucket.replace(/^call:/, "probe:")),
  },
  "LIMI-10": { "loses count of simultaneous requests": losingUpdates },
  "LIMI-11": {
    "executes a request and then refuses it with 429": refusingTooLate,
    "charges a Call that it refuses with 429": chargingRefusals,
  },
  "LIMI-13": {
    "never sends X-RateLimit-Limit or X-RateLimit-Remaining": withHeaders({
      "x-ratelimit-limit": undefined,
      "x-ratelimit-remaining": undefined,
    }),
    "states a limit of 100 for every operation": withHeaders({ "x-ratelimit-limit": "100" }),
    "sends text rather than a number as X-RateLimit-Limit": withHeaders({ "x-ratelimit-limit": "30;w=5" }),
  },
  "LIMI-14": {
    "never sends X-RateLimit-Remaining for Inspect": withHeaders(
      { "x-ratelimit-remaining": undefined },
      ({ operation }) => operation === "inspect",
    ),
    "states more remaining requests than the limit": withHeader("x-ratelimit-remaining", () => "1000"),
    "sends a negative X-RateLimit-Remaining": withHeaders({ "x-ratelimit-remaining": "-1" }, isRefused),
  },
  "LIMI-15": {
    "never sends X-RateLimit-Reset for Probe": withHeaders(
      { "x-ratelimit-reset": undefined },
      ({ operation }) => operation === "probe",
    ),
    "sends the reset in milliseconds": withHeader("x-ratelimit-reset", (reset) => String(reset * 1000)),
    "sends the seconds until the reset as X-RateLimit-Reset": withHeader("x-ratelimit-reset", () => "5"),
    "sends a reset in the past": withHeader("x-ratelimit-reset", (reset) => String(reset - 30)),
    "sends a reset several windows away": withHeader("x-ratelimit-reset", (reset) => String(reset + 30)),
  },
  "LIMI-16": {
    "sends Retry-After as a date": withHeaders(
      { "retry-after": new Date(Date.now() + 60_000).toUTCString() },
      isRefused,
    ),
    "sends Retry-After with a fraction": withHeaders({ "retry-after": "2.5" }, isRefused),
  },
  "LIMI-17": {
    "states that a refused account has one request left": withHeaders(
      { "x-ratelimit-remaining": "1" },
      isRefused,
    ),
  },
  "LIMI-18": {
    "never lowers X-RateLimit-Remaining": onAllowance((allowance) => ({
      ...allowance,
      remaining: allowance.allowed ? allowance.limit - 1 : 0,
    })),
    "lowers X-RateLimit-Remaining by two each time": onAllowance((allowance) => ({
      ...allowance,
      remaining: Math.max(0, allowance.limit - 2 * (allowance.limit - allowance.remaining)),
    })),
    "sends simultaneous requests the same X-RateLimit-Remaining": staleRemaining(),
  },
  "LIMI-19": {
    "refuses every registration with 429": shut("registerAnonymous"),
    "refuses every page of the feed with 429": shut("listUsageFeed"),
    "sends Retry-After 0 in the middle of a window": withHeaders({ "retry-after": "0" }, isRefused),
    "never again admits an account that was refused": neverEnding,
    "sends half the seconds until the window ends as Retry-After": onAllowance((allowance) => ({
      ...allowance,
      retryAfter: Math.floor(allowance.retryAfter / 2),
    })),
    "sends Retry-After in milliseconds": withHeader("retry-after", (seconds) => String(seconds * 1000)),
  },
  "LIMI-20": {
    "asks clients to wait a minute longer than X-RateLimit-Reset": onAnswers(isRefused, (answer) => ({
      ...answer,
      headers: { ...answer.headers, "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) - 60) },
    })),
  },
  "LIMI-21": {
    "leaves out X-RateLimit-Reset": withHeaders({ "x-ratelimit-reset": undefined }),
    "leaves all X-RateLimit headers out of a 429": withHeaders(
      { "x-ratelimit-limit": undefined, "x-ratelimit-remaining": undefined, "x-ratelimit-reset": undefined },
      isRefused,
    ),
  },
});

/** Reports the remaining quota of a moment ago. */
function staleRemaining(): Change {
  return onLimiter((take) => {
    const said = new Map<string, { at: number; remaining: number }>();
    return async (bucket, quota) => {
      const allowance = await take(bucket, quota);
      const last = said.get(bucket);
      if (last && Date.now() - last.at < 1000)
        return { ...allowance, remaining: allowance.allowed ? last.remaining : 0 };
      said.set(bucket, { at: Date.now(), remaining: allowance.remaining });
      return allowance;
    };
  });
}
