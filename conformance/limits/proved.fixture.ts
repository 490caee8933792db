import { expectedWords, receivedWords } from "../judge/fact.ts";
import { describe, expect, test } from "vitest";
import { bugs, oddities } from "./bugs.fixture.ts";
import type { RateLimitFacts } from "./facts.ts";
import { lawful } from "./limiters.fixture.ts";
import { judgeLimits } from "./judge.ts";
import { isFixed, type Kind } from "./kind.ts";
import { judgedRun, quotasOf, randomOf, type Serve, type Simulation } from "./simulated.fixture.ts";
import { isRefused } from "./times.ts";

export const quota = 30;
export const windowSeconds = 20;
/** Circumstances in which the verdict is the same. */
export const circumstances: Record<string, Partial<Simulation>> = {
  "on a quiet machine": {},
  "by a clock that is 4.3 s behind": { ahead: -4321 },
  "by a clock that is a day ahead": { ahead: 86_400_123 },
  "with answers up to 400 ms late": { slowestMs: 200 },
};

const namesOf = (run: Awaited<ReturnType<typeof judgedRun>>, verdicts: readonly unknown[]) =>
  run.findings
    .filter(({ verdict }) => verdicts.includes(verdict))
    .map(({ name, fact }) => `${name}: ${expectedWords(fact)} / ${receivedWords(fact)}`);

/**
 * Shows that each fault is reported, that each oddity is lawful, and that each kind is recognised.
 * @param windows their lengths in seconds
 * @param phases milliseconds past the minute at which a run starts
 * @param everyMs the step of the phases at which kinds are recognised
 */
export function proveJudge(
  given: readonly (readonly [string, Partial<Simulation>])[],
  windows: readonly number[],
  phases: readonly number[],
  everyMs: number,
): void {
  describe.each(given)("%s", (_, circumstance) => {
    const slow = (circumstance.slowestMs ?? 0) > 100;
    test.for(bugs.filter(({ onlyQuick }) => !(slow && onlyQuick)))(
      "a limiter that $does is reported",
      async ({ names, says, make }) => {
        for (const windowSeconds of windows) {
          for (const phase of phases) {
            const run = await judgedRun({
              quota,
              windowSeconds,
              phase,
              ...circumstance,
              serve: make({ quota, windowSeconds }),
            });
            const found = namesOf(run, ["fail", undefined]);
            const where = `window ${windowSeconds} s, phase ${phase}`;
            const all = [...found, ...namesOf(run, ["warn"])];
            expect(
              all.filter((finding) => names.some((name) => finding.startsWith(`${name}:`))),
              `${where}: ${all.join("\n")}`,
            ).not.toEqual([]);
            expect(
              found.filter((finding) => !names.some((name) => finding.startsWith(`${name}:`))),
              where,
            ).toEqual([]);
            if (says !== undefined) expect(found.join("\n"), where).toMatch(says);
          }
        }
      },
    );

    test.for([...Object.entries(lawful).map(([does, make]) => ({ does: `is ${does}`, make })), ...oddities])(
      "a limiter that $does is lawful",
      async ({ make }) => {
        for (const windowSeconds of windows) {
          for (const phase of phases) {
            const run = await judgedRun({
              quota,
              windowSeconds,
              phase,
              ...circumstance,
              serve: make({ quota, windowSeconds }),
            });
            expect(
              run.findings
                // Headers on every answer are only recommended.
                .filter(({ name }) => name !== "LIMI-21")
                .map(({ name, fact }) => [name, expectedWords(fact), receivedWords(fact)]),
              `window ${windowSeconds} s, phase ${phase}: ${run.facts[0]!.kind_rests_on}`,
            ).toEqual([]);
          }
        }
      },
    );
  });

  describe.each(Object.entries(lawful))("a limiter that is %s", (kind, make) => {
    test.each(windows)(
      "is silent and recognised, with windows of %d s, at any phase",
      async (windowSeconds) => {
        for (let phase = 0; phase < 60_000; phase += everyMs) {
          const run = await judgedRun({ quota, windowSeconds, phase, serve: make({ quota, windowSeconds }) });
          expect(
            run.findings.map(({ name, fact }) => [name, expectedWords(fact), receivedWords(fact)]),
            `phase ${phase}`,
          ).toEqual([]);
          expect([kind, "fixed"], `phase ${phase}: ${run.facts[0]!.kind_rests_on}`).toContain(
            run.facts[0]!.kind,
          );
        }
      },
    );
  });
}

/**
 * Shows that no limiter is accused where answers are slow, and that two counts are reported as such.
 * @param slowness the longest times of an answer in milliseconds, up to half of a window
 * @param seeds how many there are of each
 */
export function proveOnSlowMachines(slowness: readonly number[], seeds: number): void {
  test.for([...Object.entries(lawful).map(([does, make]) => ({ does, make })), ...oddities])(
    "a machine on which a burst lasts as long as a window accuses no limiter: $does",
    async ({ does, make }) => {
      for (const slowestMs of slowness) {
        for (let seed = 1; seed <= seeds; seed += 1) {
          const run = await judgedRun({
            quota,
            windowSeconds,
            phase: 7919 * seed,
            seed,
            slowestMs,
            // Every second machine also wakes up late, by up to a window.
            latestPauseMs: seed % 2 === 0 ? 1000 * windowSeconds : 0,
            serve: make({ quota, windowSeconds }),
          });
          const [{ kind, measured_quota: measured, kind_rests_on: restsOn }] = run.facts as [RateLimitFacts];
          const where = `seed ${seed}, ${slowestMs} ms: ${restsOn}`;
          const names = run.findings.map(({ name }) => name).filter((name) => name !== "LIMI-21");
          expect(names, where).toEqual(kind === "none" ? ["quota-not-reached"] : []);
          if (!(does in lawful)) continue;
          expect([does, ...(isFixed(does as Kind) ? ["fixed"] : []), "unknown", "none"], where).toContain(
            kind,
          );
          expect(Math.abs((measured ?? quota) - quota), where).toBeLessThanOrEqual(1);
        }
      }
    },
  );

  test.for([
    { to: "in turn", next: () => 1 },
    { to: "at random", next: (part: number) => Math.floor(2.5 * part) },
    {
      to: "by the connection, so that many in a row go to one",
      next: (part: number) => Math.ceil(45 * part),
    },
  ])("two counts that requests go to $to are reported as such, on a slow machine too", async ({ next }) => {
    for (const kind of ["aligned", "first-request"] as const) {
      for (const slowestMs of [200, 1000]) {
        for (let seed = 1; seed <= seeds; seed += 1) {
          const serve = twoCounts(kind, seed, next);
          const run = await judgedRun({ quota, windowSeconds, phase: 7919 * seed, seed, slowestMs, serve });
          for (const { name, fact } of run.findings.filter(({ verdict }) => verdict !== "warn"))
            expect(`${name}: ${receivedWords(fact)}`, `${kind}, seed ${seed}, ${slowestMs} ms`).toMatch(
              /^(admits-too-many|never-refuses|counter-loses-requests|quota-not-reached):|two counts/,
            );
        }
      }
    }
  });
}

/** Shows that a run which ends early accuses no limiter. @param every answers between two such ends */
export function proveCutShort(every: number): void {
  test.for([...Object.entries(lawful).map(([does, make]) => ({ does, make })), ...oddities])(
    "a run that ends in the middle accuses no limiter: $does",
    async ({ make }) => {
      const { judged } = await judgedRun({ quota, windowSeconds, serve: make({ quota, windowSeconds }) });
      const reached = judged.findIndex(isRefused);
      for (let end = reached + 1; end < judged.length; end += every) {
        const { findings } = judgeLimits(judged.slice(0, end), { quotas: quotasOf(quota), windowSeconds });
        expect(findings, `after ${end} of ${judged.length} answers`).toEqual([]);
      }
    },
  );
}

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
