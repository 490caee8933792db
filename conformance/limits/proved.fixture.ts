import { describe, expect, test } from "vitest";
import { bugs, oddities } from "./bugs.fixture.ts";
import { lawful } from "./limiters.fixture.ts";
import { judgedRun, type Simulation } from "./simulated.fixture.ts";

const quota = 30;
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
    .map(({ name, expected, received }) => `${name}: ${expected} / ${received}`);

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
              all.filter((one) => names.some((name) => one.startsWith(`${name}:`))),
              `${where}: ${all.join("\n")}`,
            ).not.toEqual([]);
            expect(
              found.filter((one) => !names.some((name) => one.startsWith(`${name}:`))),
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
                .map(({ name, expected, received }) => [name, expected, received]),
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
            run.findings.map(({ name, expected, received }) => [name, expected, received]),
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
