import { describe, expect, test } from "vitest";
import { judgeWindows } from "./judge.ts";
import { answersTo, burst, type Sent, type Served } from "./traffic.fixture.ts";

const quota = 10;
const windowSeconds = 60;
const minute = 60_000;
const declared = {
  quotas: { discover: quota, inspect: quota, probe: quota, call: quota },
  windowSeconds,
};
/** A time within a minute. */
const start = Date.UTC(2026, 8, 12, 12, 0, 20, 345);

/**
 * The requests of the load: two accounts begin, then a burst over the keys of one, the end of the window, and the
 * return.
 */
const flow: Sent[] = [
  { at: start, account: "other" },
  { at: start + 600 },
  ...burst(start + 24_000, quota + 3),
  { at: start + 24_100, account: "other" },
  { at: start + minute - 900, key: "key 2" },
  { at: start + minute + 1500 },
  { at: start + minute + 2600 },
  { at: start + 2 * minute },
];

const namesFor = async (requests: readonly Sent[], served: Partial<Served>): Promise<string[]> => {
  const seen = await answersTo(requests, { kind: "first-request", quota, windowSeconds, ...served });
  return judgeWindows(seen, declared).findings.map(({ name }) => name);
};

/** A fault of a server, and the finding that names it. */
const faults: Record<string, { does: string; served: Partial<Served>; requests?: Sent[] }> = {
  "another-quota": {
    does: "names another limit",
    served: { change: (allowance) => ({ ...allowance, limit: quota + 1 }) },
  },
  "admits-too-many": { does: "admits one too many", served: { quota: quota + 1 } },
  "refuses-too-early": { does: "admits one too few", served: { quota: quota - 1 } },
  "counts-keys-apart": {
    does: "counts each key for itself",
    served: { bucketOf: ({ key, account }) => `${account} ${key}` },
  },
  "accounts-share-a-quota": {
    does: "counts all accounts together",
    served: { bucketOf: ({ operation }) => operation },
    requests: [...burst(start, quota + 3), { at: start + 1000, account: "other" }],
  },
  "counts-what-was-not-sent": {
    does: "counts another operation's requests too",
    served: { bucketOf: ({ account }) => account },
    requests: [
      ...burst(start, 4).map((one): Sent => ({ ...one, operation: "inspect" })),
      { at: start + 1000 },
    ],
  },
  "counter-loses-requests": {
    does: "counts two requests at the same time once",
    served: { change: (allowance) => ({ ...allowance, remaining: Math.ceil(allowance.remaining / 2) }) },
  },
  "remaining-stuck": {
    does: "always says the same Remaining",
    served: { change: (allowance) => ({ ...allowance, remaining: quota - 1 }) },
  },
  "remaining-not-used-up": {
    does: "never says 0",
    served: { change: (allowance) => ({ ...allowance, limit: quota, remaining: allowance.remaining + 1 }) },
  },
  "reset-in-milliseconds": {
    does: "says Reset in milliseconds",
    served: { change: (allowance) => ({ ...allowance, reset: 1000 * allowance.reset }) },
  },
  "reset-drifts": {
    does: "moves Reset on with every answer",
    served: { change: (allowance, now) => ({ ...allowance, reset: Math.ceil(now / 1000) + windowSeconds }) },
  },
  "retry-after-missing": {
    does: "leaves Retry-After out",
    served: { headers: ({ "retry-after": _, ...headers }) => headers },
  },
  "retry-after-date": {
    does: "says Retry-After as a date",
    served: {
      headers: (headers, status) =>
        status === 429 ? { ...headers, "retry-after": headers["date"]! } : headers,
    },
  },
  "retry-after-zero": {
    does: "says Retry-After 0",
    served: { change: (allowance) => ({ ...allowance, retryAfter: 0 }) },
  },
  "retry-after-too-short": {
    does: "says half of Retry-After",
    served: { change: (allowance) => ({ ...allowance, retryAfter: Math.ceil(allowance.retryAfter / 2) }) },
    requests: [...burst(start, quota + 3), { at: start + 10_000 }, { at: start + 40_000 }],
  },
  "retry-after-rounded-down": {
    does: "rounds Retry-After down",
    served: { change: (allowance) => ({ ...allowance, retryAfter: allowance.retryAfter - 1 }) },
    requests: [...burst(start, quota + 3), { at: start + 58_000 }, { at: start + 59_500 }],
  },
  "window-never-ends": {
    does: "never admits again who was refused",
    served: (() => {
      let ended = false;
      return {
        change: (allowance) => {
          ended ||= !allowance.allowed;
          return ended
            ? { ...allowance, allowed: false, remaining: 0, reset: Math.ceil(start / 1000) + 62 }
            : allowance;
        },
      };
    })(),
  },
};

describe("faults are found by their names", () => {
  test.for(Object.entries(faults))("%s", async ([name, { served, requests = flow }]) => {
    expect(await namesFor(requests, served)).toContain(name);
  });

  test("Retry-After 0 is shown by a later refusal where no Reset tells of it", async () => {
    const served: Partial<Served> = {
      change: (allowance) => ({ ...allowance, retryAfter: 0 }),
      headers: ({ "x-ratelimit-reset": _, ...headers }) => headers,
    };
    expect(
      await namesFor([...burst(start, quota + 3), { at: start + 2000 }, { at: start + 5000 }], served),
    ).toContain("retry-after-zero");
  });
});

describe.each(["aligned", "first-request", "sliding"] as const)("windows that are %s", (kind) => {
  test("are lawful, and recognised", async () => {
    const seen = await answersTo(flow, { kind, quota, windowSeconds });
    const judged = judgeWindows(seen, declared);
    expect(judged.findings).toEqual([]);
    expect(judged.kind).toBe(kind);
  });

  test.each([-86_400_000, -4321, 4321, 86_400_000])(
    "are lawful by a clock that is %d ms from the load's",
    async (ahead) => {
      const seen = await answersTo(flow, { kind, quota, windowSeconds, ahead });
      const { findings, skew } = judgeWindows(seen, declared);
      expect(findings).toEqual([]);
      expect(Math.abs(skew.offset - ahead)).toBeLessThanOrEqual(skew.doubt + 1);
    },
  );
});

describe("a burst over the edge of aligned windows", () => {
  const edge = Date.UTC(2026, 8, 12, 12, 1);
  const acrossIt = (before: number, after: number): Sent[] => [
    { at: start },
    ...burst(edge - 200, before),
    ...burst(edge + 50, after),
  ];

  test("may admit a quota on each side", async () => {
    const seen = await answersTo(acrossIt(quota + 2, quota + 2), { kind: "aligned", quota, windowSeconds });
    expect(seen.filter(({ admitted }) => admitted)).toHaveLength(2 * quota);
    expect(judgeWindows(seen, declared).findings).toEqual([]);
  });

  test("may not admit more on either", async () => {
    const served = { kind: "aligned", quota: quota + 1, windowSeconds } as const;
    for (const requests of [acrossIt(quota, 0), acrossIt(0, quota + 1)]) {
      const names = judgeWindows(await answersTo(requests, served), declared).findings.map(
        ({ name }) => name,
      );
      expect(names).toContain("admits-too-many");
    }
  });
});

test("fixed windows that cannot be told apart are not", async () => {
  const seen = await answersTo(burst(start, quota + 3), { kind: "first-request", quota, windowSeconds });
  expect(judgeWindows(seen, declared)).toMatchObject({ kind: "fixed", findings: [] });
});

test("answers without rate-limit headers show no kind of window, and no fault of theirs", async () => {
  const bare = (headers: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("x-ratelimit")));
  const seen = await answersTo(flow, { kind: "sliding", quota, windowSeconds, headers: bare });
  const judged = judgeWindows(seen, declared);
  expect(judged.kind).toBe("unknown");
  expect(judged.findings).toEqual([]);
});
