import { expect, it, vi } from "vitest";
import type { Exchange } from "../../judge/exchange.ts";
import { Account } from "../../server/account.ts";
import { Answer } from "../../judge/answer.ts";
import type { Outgoing } from "../../server/client.ts";
import { Waiting } from "../../server/waiting.ts";
import { defaultProfile } from "../../server/profile.ts";
import { Secrets } from "../../server/secrets.ts";
import { Session } from "../../server/session.ts";
import { inOneWindow } from "./burst.ts";

const quota = 20;
const windowSeconds = 0.02;

/**
 * An account of a server that admits the n-th Discover according to `admits`, or is too busy for it, with reset time
 * `reset` and remaining quota `remaining`.
 */
function accountOf(
  admits: (n: number) => boolean | 503,
  reset?: (n: number) => number,
  seconds = windowSeconds,
  remaining?: (n: number) => number,
): Account {
  let requests = 0;
  const client = {
    waiting: new Waiting(),
    async send({ method, path, body = "" }: Outgoing): Promise<Answer> {
      const counts = path === "/search";
      const n = counts ? (requests += 1) : 1;
      const admitted = !counts || admits(n);
      const status = admitted === true ? 200 : admitted || 429;
      const headers: Record<string, string> = reset ? { "x-ratelimit-reset": String(reset(n)) } : {};
      if (remaining) headers["x-ratelimit-remaining"] = String(remaining(n));
      const exchange: Exchange = {
        operation: "discover",
        account: null,
        started_at: Date.now(),
        duration_ms: 1,
        request: { method, url: path, headers: {}, body },
        response: { status, headers, body: "{}" },
        error: null,
      };
      return new Answer(status, headers, "{}", exchange);
    },
  };
  const profile = defaultProfile("http://127.0.0.1:9/api/v1");
  profile.limits = { ...profile.limits, discover: quota, window: seconds };
  const session = new Session(client as never, new Secrets());
  return new Account(session, profile, "key", "account");
}

const admittedBy = async (account: Account): Promise<number> =>
  (await inOneWindow(account, "discover", async () => null)).admitted.length;

it("sends nothing where one client cannot use up the quota", async () => {
  const account = accountOf(() => true);
  account.profile.limits.discover = 1001;
  await expect(admittedBy(account)).rejects.toThrow(/^one client cannot use up \d+ requests in/);
});

it("concludes from a burst within one window", async () => {
  expect(
    await admittedBy(
      accountOf(
        (n) => n <= quota,
        () => 100,
      ),
    ),
  ).toBe(quota);
  expect(
    await admittedBy(
      accountOf(
        (n) => n <= quota + 1,
        () => 100,
      ),
    ),
  ).toBe(quota + 1);
});

it("repeats a burst that a window's end divides, by the resets or by what is admitted", async () => {
  // The first window ends after 10 requests; the second burst has a window to itself.
  const divided = 1 + 2 * (quota + 8) + 2;
  const admits = (n: number): boolean => n <= 10 + quota || (n > divided && n <= divided + quota);
  const first = await inOneWindow(
    accountOf(admits, (n) => (n <= 10 ? 100 : 200)),
    "discover",
    async () => null,
  );
  expect(first.refused.length).toBeGreaterThan(0);
  expect(new Set(first.admitted.map((answer) => answer.headers["x-ratelimit-reset"]))).toEqual(
    new Set(["200"]),
  );
  const silent = await inOneWindow(accountOf(admits), "discover", async () => null);
  expect(silent.admitted.length).toBeLessThanOrEqual(quota);
});

it("waits out a window that an earlier run has partly used", async () => {
  // A single request, the burst, and a single request again.
  const burst = quota + 10;
  const left = 7;
  for (const admittedFirst of [0, left]) {
    const admits = (n: number): boolean => n <= admittedFirst || (n > burst && n <= burst + quota);
    expect(await admittedBy(accountOf(admits))).toBe(quota);
    const remaining = (n: number): number => Math.max(0, (n <= burst ? left : burst + quota) - n);
    expect(await admittedBy(accountOf(admits, undefined, windowSeconds, remaining))).toBe(quota);
  }
});

it("concludes immediately from a window that says it is new", async () => {
  let discovers = 0;
  const few = accountOf(
    (n) => (discovers = n) < quota,
    undefined,
    windowSeconds,
    (n) => Math.max(0, quota - n),
  );
  expect(await admittedBy(few)).toBe(quota - 1);
  expect(discovers).toBeLessThan(2 * quota + 24);
});

it("stops at a server that refuses nothing", async () => {
  expect(await admittedBy(accountOf(() => true))).toBeGreaterThan(2 * quota);
});

it("concludes nothing from a burst for which the server is too busy, unless only beyond the quota", async () => {
  const busy = accountOf((n) => (n % 2 === 0 ? 503 : n <= quota));
  await expect(admittedBy(busy)).rejects.toThrow("is more than the server takes");
  expect(await admittedBy(accountOf((n) => n <= quota || 503))).toBe(quota);
});

it("does not begin with a window that is about to end", async () => {
  vi.useFakeTimers({ now: 97_500 });
  try {
    let discovers = 0;
    const account = accountOf(
      (n) => (discovers = n) <= quota,
      () => 100,
      60,
    );
    const admitted = admittedBy(account);
    await vi.advanceTimersByTimeAsync(2_500);
    const before = discovers;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await admitted).toBe(quota);
    expect(before).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
