import { expect, test } from "vitest";
import { bugs } from "./bugs.fixture.ts";
import { circumstances, proveJudge } from "./proved.fixture.ts";
import { judgedRun } from "./simulated.fixture.ts";

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
