import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeWindows } from "./judge.ts";
import { answersTo, burst, type Sent } from "./traffic.fixture.ts";

const minute = 60_000;
/** Noon, on a whole minute. */
const noon = Date.UTC(2026, 8, 12, 12);
const kinds = ["aligned", "first-request", "sliding"] as const;
const declared = (quota: number, windowSeconds = 60) => ({
  quotas: { discover: quota, inspect: quota, probe: quota, call: quota },
  windowSeconds,
});

/** Requests of two accounts at arbitrary times, often concurrent, with arbitrary network delays. */
const traffic = fc.array(
  fc.record({
    at: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 59_000, max: 61_000 })),
    account: fc.constantFrom("one", "other"),
    key: fc.constantFrom("key 1", "key 2"),
    there: fc.integer({ min: 0, max: 1500 }),
    back: fc.integer({ min: 0, max: 500 }),
  }),
  { minLength: 1, maxLength: 80 },
);

describe.each(kinds)("windows that are %s", (kind) => {
  test("raise no alarm, whatever is sent and when", async () => {
    await fc.assert(
      fc.asyncProperty(
        traffic,
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 0, max: minute }),
        fc.integer({ min: -5000, max: 5000 }),
        async (requests, quota, phase, ahead) => {
          const sent = requests.map((one) => ({ ...one, at: noon + phase + one.at }));
          const seen = await answersTo(sent, { kind, quota, windowSeconds: 60, ahead });
          expect(judgeWindows(seen, declared(quota)).findings).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("are recognised by a burst and the return after it, at any phase of a minute", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: minute - 1 }), async (phase) => {
        const quota = 10;
        const t0 = noon + phase;
        const left = kind === "aligned" ? minute - (phase % minute) : minute;
        const requests: Sent[] = [
          { at: t0, account: "other" },
          { at: t0 + 600 },
          ...burst(t0 + 600 + 0.4 * left, quota + 4),
          { at: t0 + 600 + left + 60 },
          ...burst(t0 + 2 * minute, 3),
        ];
        const seen = await answersTo(requests, { kind, quota, windowSeconds: 60 });
        const judged = judgeWindows(seen, declared(quota));
        expect(judged.findings).toEqual([]);
        expect(judged.kind).toBe(kind);
      }),
      { numRuns: 1000 },
    );
  });
});
