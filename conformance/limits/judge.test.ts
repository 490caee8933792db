import { expect, test } from "vitest";
import { bugs } from "./bugs.fixture.ts";
import { judgeLimits } from "./judge.ts";
import { weightedCounter } from "./limiters.fixture.ts";
import {
  circumstances,
  proveCutShort,
  proveJudge,
  proveOnSlowMachines,
  quota,
  windowSeconds,
} from "./proved.fixture.ts";
import { judgedRun, quotasOf } from "./simulated.fixture.ts";
import { observationOf, type Observation } from "./observation.ts";

// In every circumstance, at more phases, with longer windows and more seeds: judge.proof.ts.
proveJudge(Object.entries(circumstances).slice(0, 1), [windowSeconds], [17_171], 17_171);
proveOnSlowMachines([1000, 9000], 2);
proveCutShort(31);

test.for(
  bugs
    .filter(({ does }) => /^has (aligned )?windows of (twice|half)/.test(does))
    .map(({ does, make }) => ({ does, make, seconds: windowSeconds * (does.includes("twice") ? 2 : 0.5) })),
)("the table gives the length of the windows where a limiter $does", async ({ make, seconds }) => {
  for (const phase of [0, 4321, 17_171]) {
    const serve = make({ quota, windowSeconds });
    const [facts] = (await judgedRun({ quota, windowSeconds, phase, serve })).facts;
    const { measured_window_seconds: span, kind, kind_rests_on: restsOn } = facts!;
    expect(span!.least, restsOn).toBeLessThanOrEqual(seconds + 0.2);
    expect(span!.most, restsOn).toBeGreaterThanOrEqual(seconds - 0.2);
    expect(span!.most - span!.least, restsOn).toBeLessThan(windowSeconds / 4);
    expect(kind, restsOn).toBe("fixed");
  }
});

type Admits = (operation: string, at: number) => boolean;

/** Two operations of one account, asked in simulated time. */
function asking(decide: Admits) {
  const observations: Observation[] = [];
  let now = Date.UTC(2026, 8, 12, 12);
  const ask = (operation: "probe" | "call"): boolean => {
    now += 5;
    const allowed = decide(operation, now + 2);
    const headers = {
      "x-ratelimit-limit": String(quota),
      ...(!allowed && { "retry-after": String(windowSeconds) }),
    };
    const exchange = {
      ...{ operation, account: "one", started_at: now, duration_ms: 4, error: null },
      request: { method: "POST", url: "http://127.0.0.1/", headers: {}, body: null },
      response: { status: allowed ? 200 : 429, headers, body: "{}" },
    };
    observations.push(observationOf(exchange, { account: "one", operation })!);
    return allowed;
  };
  return {
    ask,
    pause: (milliseconds: number) => void (now += milliseconds),
    judge: () => judgeLimits(observations, { quotas: quotasOf(quota), windowSeconds }),
  };
}

/** Two operations together, and then as the judge wants to see them in turn. */
function judgedTogether(decide: Admits) {
  const { ask, pause, judge } = asking(decide);
  for (let time = 0; time < 2 * quota; time += 1) ask(time % 3 === 0 ? "probe" : "call");
  const { suspicion, findings } = judge();
  if (suspicion === null) return { before: findings, after: findings };
  pause(1000 * (2 * windowSeconds + 3));
  for (let time = 0; time < suspicion.amount; time += 1) ask(suspicion.first as "probe");
  for (let time = 0; time <= quota; time += 1) ask(suspicion.second as "probe");
  return { before: findings, after: judge().findings };
}

/** Fixed windows of some buckets, each of a quota. */
const windowsOf = (bucketOf: (operation: string) => string, quotaOf: number, cost = 1): Admits => {
  const counts = new Map<string, number>();
  return (operation, at) => {
    const key = `${bucketOf(operation)} ${Math.floor(at / (1000 * windowSeconds))}`;
    counts.set(key, (counts.get(key) ?? 0) + cost);
    return counts.get(key)! <= quotaOf;
  };
};

test("operations share a quota if one of them moves the other's point of refusal", () => {
  const { before, after } = judgedTogether(windowsOf(() => "account", quota));
  expect(before.map(({ name }) => name)).not.toContain("operations-share-a-quota");
  const failed = after.filter(
    ({ verdict, name }) => verdict !== "warn" && !/^(headers|retry-after)-/.test(name),
  );
  expect(failed.map(({ name, clauses }) => [name, clauses])).toEqual([
    ["operations-share-a-quota", ["LIMI-09"]],
  ]);
});

test.each([
  ["counts each request twice", windowsOf((operation) => operation, quota, 2)],
  ["has half of the quota", windowsOf((operation) => operation, quota / 2)],
  ["has a quarter of the quota", windowsOf((operation) => operation, Math.floor(quota / 4))],
])("a limiter that %s is not accused of a shared quota, though a sum fits", (_, decide) => {
  const names = judgedTogether(decide).after.map(({ name }) => name);
  expect(names).not.toContain("operations-share-a-quota");
  expect(names).toContain("refuses-too-early");
});

test("an estimate from two windows is not taken for a quota that operations share", () => {
  const decide = weightedCounter({ quota, windowSeconds });
  const { ask, pause, judge } = asking((operation, at) => decide(operation, at).allowed);
  const useUp = (operation: "probe" | "call"): void => {
    for (let time = 0; time <= quota; time += 1) ask(operation);
  };
  useUp("probe");
  useUp("call");
  // Half of the last window counts: each operation has half of its quota, which add up to one.
  pause(1500 * windowSeconds);
  useUp("probe");
  useUp("call");
  const names = judge().findings.map(({ name }) => name);
  expect(names).not.toContain("operations-share-a-quota");
  expect(names).toContain("refuses-too-early");
});
