import { expect, test } from "vitest";
import { bugs, oddities } from "./bugs.fixture.ts";
import { lawful } from "./limiters.fixture.ts";
import type { RateLimitFacts } from "./facts.ts";
import { judgeLimits } from "./judge.ts";
import { circumstances, proveJudge } from "./proved.fixture.ts";
import { judgedRun, quotasOf, randomOf, type Serve } from "./simulated.fixture.ts";
import { observationOf, type Observation } from "./observation.ts";
import { isRefused } from "./times.ts";

// In every circumstance, at more phases and with longer windows: judge.proof.ts.
proveJudge(Object.entries(circumstances).slice(0, 1), [20], [0, 17_171], 17_171);

const [quota, windowSeconds] = [30, 20];

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

test.for([...Object.entries(lawful).map(([does, make]) => ({ does, make })), ...oddities])(
  "a machine on which a burst lasts as long as a window accuses no limiter: $does",
  async ({ does, make }) => {
    for (const slowestMs of [1000, 4000, 9000]) {
      for (let seed = 1; seed <= 8; seed += 1) {
        const run = await judgedRun({
          quota,
          windowSeconds,
          phase: 7919 * seed,
          seed,
          slowestMs,
          serve: make({ quota, windowSeconds }),
        });
        const [{ kind, measured_quota: measured, kind_rests_on: restsOn }] = run.facts as [RateLimitFacts];
        const where = `seed ${seed}, ${slowestMs} ms: ${restsOn}`;
        const names = run.findings.map(({ name }) => name).filter((name) => name !== "LIMI-21");
        expect(names, where).toEqual(kind === "none" ? ["quota-not-reached"] : []);
        if (!(does in lawful)) continue;
        expect([does, "fixed", "unknown", "none"], where).toContain(kind);
        expect(Math.abs((measured ?? quota) - quota), where).toBeLessThanOrEqual(1);
      }
    }
  },
);

test.for([...Object.entries(lawful).map(([does, make]) => ({ does, make })), ...oddities])(
  "a run that ends in the middle accuses no limiter: $does",
  async ({ make }) => {
    const { judged } = await judgedRun({ quota, windowSeconds, serve: make({ quota, windowSeconds }) });
    const reached = judged.findIndex(isRefused);
    for (let end = reached + 1; end < judged.length; end += 7) {
      const { findings } = judgeLimits(judged.slice(0, end), { quotas: quotasOf(quota), windowSeconds });
      expect(findings, `after ${end} of ${judged.length} answers`).toEqual([]);
    }
  },
);

/** Two limiters behind one address. `next`: how many requests in a row go to one of them, by a number from 0 to 1. */
const twoCounts = (
  kind: "aligned" | "first-request",
  seed: number,
  next: (part: number) => number,
): Serve => {
  const counts = [0, 1].map(() => lawful[kind]!({ quota, windowSeconds }));
  const random = randomOf(seed);
  let [left, which] = [0, 0];
  return (incoming) => {
    if (incoming.account !== "one") return counts[0]!(incoming);
    for (; left === 0; which = 1 - which) left = next(random());
    left -= 1;
    return counts[which]!(incoming);
  };
};

test.for([
  { to: "in turn", next: () => 1 },
  { to: "at random", next: (part: number) => Math.floor(2.5 * part) },
  { to: "by the connection, so that many in a row go to one", next: (part: number) => Math.ceil(45 * part) },
])("two counts that requests go to $to are reported as such, on a slow machine too", async ({ next }) => {
  for (const kind of ["aligned", "first-request"] as const) {
    for (const slowestMs of [200, 1000]) {
      for (let seed = 1; seed <= 12; seed += 1) {
        const serve = twoCounts(kind, seed, next);
        const run = await judgedRun({ quota, windowSeconds, phase: 7919 * seed, seed, slowestMs, serve });
        for (const { name, received } of run.findings.filter(({ verdict }) => verdict !== "warn"))
          expect(`${name}: ${received}`, `${kind}, seed ${seed}, ${slowestMs} ms`).toMatch(
            /^(admits-too-many|never-refuses|counter-loses-requests|quota-not-reached):|two counts/,
          );
      }
    }
  }
});

/** Two operations of one account in simulated time: together, and then as the judge wants to see them in turn. */
function judgedTogether(decide: (operation: string, at: number) => boolean) {
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
  const judge = () => judgeLimits(observations, { quotas: quotasOf(quota), windowSeconds });
  for (let time = 0; time < 2 * quota; time += 1) ask(time % 3 === 0 ? "probe" : "call");
  const { suspicion, findings } = judge();
  if (suspicion === null) return { before: findings, after: findings };
  now += 1000 * (windowSeconds + 3);
  for (let time = 0; time < suspicion.amount; time += 1) ask(suspicion.first as "probe");
  for (let time = 0; time <= quota; time += 1) ask(suspicion.second as "probe");
  return { before: findings, after: judge().findings };
}

/** Fixed windows of some buckets, each of a quota. */
const windowsOf = (bucketOf: (operation: string) => string, quotaOf: number, cost = 1) => {
  const counts = new Map<string, number>();
  return (operation: string, at: number): boolean => {
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
