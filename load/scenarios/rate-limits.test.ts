import { expect, it } from "vitest";
import { lawful } from "../../conformance/limits/limiters.fixture.ts";
import { judgedRun } from "../../conformance/limits/simulated.fixture.ts";
import { quotaQuestion } from "./rate-limits.ts";

it("does not call a quota judged that a slow machine could not use up in time", async () => {
  const small = { quota: 30, windowSeconds: 12 };
  const asked = async (slowestMs: number) => {
    const { facts, findings } = await judgedRun({ ...small, slowestMs, serve: lawful["sliding"]!(small) });
    return quotaQuestion("discover", facts, findings);
  };
  expect(await asked(8)).toEqual({ what: "the quota of discover", lack: null });
  expect(await asked(9000)).toEqual({
    what: "the quota of discover",
    lack: { what: "no request was admitted again after a refusal", by: "reason" },
  });
});

it("takes a quota for judged by a fault of its own operation, and by no recommendation", async () => {
  const small = { quota: 30, windowSeconds: 12 };
  const { facts, findings } = await judgedRun({
    ...small,
    serve: () => ({ status: 200, headers: {} }),
  });
  const about = (verdict: "fail" | "warn", operation: "discover" | "call") =>
    quotaQuestion(
      operation,
      facts,
      findings.map((finding) => ({ ...finding, verdict })),
    ).lack;
  expect(findings.length).toBeGreaterThan(0);
  expect(about("fail", "discover")).toBeNull();
  expect(about("warn", "discover")).toEqual({ what: "no request was refused", by: "reason" });
  expect(about("fail", "call")).toEqual({ what: "no request was refused", by: "reason" });
});
