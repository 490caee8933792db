import { AsyncLocalStorage } from "node:async_hooks";
import type { Config } from "../reference-server/config.ts";
import type { Allowance, Limiter, Parts } from "../reference-server/parts.ts";
import { moving, onAnswers, onHeaders, onPart, type Change } from "../conformance/changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../conformance/changes/wire.ts";
import type { Scenario } from "./scenarios/index.ts";
import { limitedOperations, type LimitedOperation } from "../generated/contract.ts";
import { allowance } from "../reference-server/http/limiter.ts";
import { failure } from "../reference-server/http/operation.ts";

/** The reference server with one fault that shows well only under load, and the finding that must name it. */
export interface LoadMutant {
  /** The fault: a sentence without a subject. */
  name: string;
  scenario: Scenario;
  /** For rate-limits: the operation under load. */
  operation: LimitedOperation;
  /** Several where the machine's speed decides among them, with "or" between. */
  caughtBy: string;
  change: Change;
}

/** Small quotas that are used up soon, in windows as long as the contract's. */
export const smallWindows = {
  windowSeconds: 60,
  windowKind: "first-request",
  quotas: { discover: 30, inspect: 31, probe: 32, call: 33, anonymous: 40 },
} satisfies Partial<Config>;

const limited: readonly string[] = limitedOperations;
const isLimited = ({ operation }: WireRequest): boolean => limited.includes(operation ?? "");
const isRefused = (request: WireRequest, answer: WireAnswer): boolean =>
  isLimited(request) && answer.status === 429;

const isAnonymous = (bucket: string): boolean => bucket.startsWith("anonymous");

const small = (change: Change): Change => ({ ...change, config: { ...smallWindows, ...change.config } });

const onLimiter = (change: (take: Limiter["take"], parts: Parts) => Limiter["take"]): Change =>
  small(onPart("limiter", (limiter, parts) => ({ take: change(limiter.take.bind(limiter), parts) })));

const onAllowance = (change: (allowance: Allowance) => Allowance): Change =>
  onLimiter((take) => async (bucket, quota) => change(await take(bucket, quota)));

const onRefusals = (headers: Record<string, string | undefined>): Change =>
  small(onHeaders(isRefused, headers));

/** A quota other than the one in the headers. */
const quotaOff = (by: number): Change =>
  onLimiter((take) => async (bucket, quota) => {
    const allowance = await take(bucket, quota + by);
    return { ...allowance, limit: quota, remaining: Math.min(quota, Math.max(0, allowance.remaining - by)) };
  });

/** How many requests read a count before any of them writes it back, and how long they wait for each other in ms. */
const atOnce = 4;
const patience = 100;

/** A count updated by a racy read and write. */
const losingCounts = onLimiter((take, { clock }) => {
  const windows = new Map<string, { count: number; endsAt: number }>();
  const length = 1000 * smallWindows.windowSeconds;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  const others = (): Promise<void> =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === atOnce) release();
      else setTimeout(release, patience);
    });
  return async (bucket, quota) => {
    if (isAnonymous(bucket)) return take(bucket, quota);
    const known = windows.get(bucket);
    const window = known && known.endsAt > clock.now() ? known : { count: 0, endsAt: clock.now() + length };
    const { count } = window;
    await others();
    const allowed = count < quota;
    windows.set(bucket, { ...window, count: allowed ? count + 1 : count });
    return allowance(allowed, quota, quota - count - 1, window.endsAt, clock.now());
  };
});

/** A bucket for each key. The key is read just before its request takes from a window. */
const byKey: Change = small({
  parts: (parts) => {
    const key = new AsyncLocalStorage<string>();
    return {
      ...parts,
      accounts: {
        ...parts.accounts,
        authenticate(token) {
          key.enterWith(token);
          return parts.accounts.authenticate(token);
        },
      },
      limiter: { take: (bucket, quota) => parts.limiter.take(`${bucket} ${key.getStore() ?? ""}`, quota) },
    };
  },
});

const neverEnding = onLimiter((take) => {
  const ended = new Map<string, Allowance>();
  return async (bucket, quota) => {
    const allowance = await take(bucket, quota);
    if (!allowance.allowed) ended.set(bucket, allowance);
    const last = ended.get(bucket);
    return last === undefined ? allowance : { ...last, remaining: 0 };
  };
});

const chargingRefusals = onLimiter((take, { books }) => async (bucket, quota) => {
  const allowance = await take(bucket, quota);
  const [operation, , accountId] = bucket.split(":");
  if (!allowance.allowed && operation === "call") await moving(books, accountId!, -1);
  return allowance;
});

/** Calls beyond the quota are executed although they are answered with 429. */
const executingRefusals: Change = {
  ...onLimiter((take) => async (bucket, quota) => {
    const allowance = await take(bucket, 2 * quota);
    // A negative count marks the answers to change.
    return { ...allowance, limit: quota, remaining: Math.max(-1, allowance.remaining - quota) };
  }),
  ...onAnswers(
    (_, { headers }) => headers["x-ratelimit-remaining"] === "-1",
    ({ headers }) => ({
      status: 429,
      headers: { ...headers, "x-ratelimit-remaining": "0" },
      body: JSON.stringify(failure(429, "Too many requests.")),
    }),
  ),
};

const limits = (
  name: string,
  caughtBy: string,
  change: Change,
  operation: LimitedOperation = "discover",
): LoadMutant => ({ name, scenario: "rate-limits", operation, caughtBy, change });

/** Servers in which rate-limits must find a fault. */
export const limitMutants: readonly LoadMutant[] = [
  limits("admits one request too many", "admits-too-many", quotaOff(1)),
  limits("admits one request too few", "refuses-too-early", quotaOff(-1), "inspect"),
  limits("counts each key separately", "counts-keys-apart", byKey, "probe"),
  limits("loses count of simultaneous requests", "admits-too-many or never-refuses", losingCounts),
  limits(
    "counts all accounts together",
    "accounts-share-a-quota",
    onLimiter((take) => (bucket, quota) => take(bucket.split(":")[0]!, quota)),
  ),
  limits(
    "sends the Reset in milliseconds",
    "reset-in-milliseconds",
    onAllowance((allowance) => ({ ...allowance, reset: 1000 * allowance.reset })),
  ),
  limits(
    "moves the Reset on with every answer",
    "reset-too-late",
    onLimiter((take, { clock }) => async (bucket, quota) => ({
      ...(await take(bucket, quota)),
      reset: Math.ceil(clock.now() / 1000) + smallWindows.windowSeconds,
    })),
    "inspect",
  ),
  limits("sends Retry-After 0", "retry-after-zero", onRefusals({ "retry-after": "0" })),
  limits("leaves Retry-After out", "retry-after-missing", onRefusals({ "retry-after": undefined }), "probe"),
  limits(
    "sends Retry-After as a date",
    "retry-after-date",
    small(
      onAnswers(isRefused, (answer) => ({
        ...answer,
        headers: { ...answer.headers, "retry-after": new Date(Date.now() + 2000).toUTCString() },
      })),
    ),
  ),
  limits(
    "always sends the same Remaining",
    "remaining-stuck",
    onAllowance((allowance) => ({ ...allowance, remaining: allowance.allowed ? allowance.limit - 1 : 0 })),
  ),
  limits("never again admits a refused account", "window-never-ends", neverEnding),
  limits("charges a Call that it refuses with 429", "refused-call-charged", chargingRefusals, "call"),
  limits("executes a Call that it refuses with 429", "refused-call-executed", executingRefusals, "call"),
  limits(
    "does not limit an address without a credential",
    "anonymous-unlimited",
    onLimiter((take) => (bucket, quota) => take(bucket, isAnonymous(bucket) ? 1000 * quota : quota)),
  ),
  limits(
    "limits all addresses together",
    "counts-addresses-together",
    onLimiter((take) => (bucket, quota) => take(isAnonymous(bucket) ? "anonymous" : bucket, quota)),
  ),
];

/** Lawful servers that must raise no alarm, with every kind of window. */
export const windowKinds: readonly { kind: Config["windowKind"]; change: Change }[] = (
  ["aligned", "first-request", "sliding"] as const
).map((kind) => ({ kind, change: { config: { ...smallWindows, windowKind: kind } } }));
