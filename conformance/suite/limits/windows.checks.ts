import type { ClauseId } from "../../../generated/clauses.ts";
import type { LimitedOperation } from "../../../generated/contract.ts";
import { expectedWords, receivedWords } from "../../judge/fact.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { check, type Stage } from "../../run/check.ts";
import { askedOf } from "./burst.ts";
import { askLimit } from "../../limits/course.ts";
import { judgeLimits } from "../../limits/judge.ts";

const timed = { feature: "rate_limits", fresh: true, needs: ["time"] } as const;
const counts = ["LIMI-05", "LIMI-01", "LIMI-06"] as const;
const times = ["LIMI-15", "LIMI-19"] as const;

export const checks = [
  check(counts, "each of several windows of Discover admits the quota, and no more", timed, (stage) =>
    expectLawful(stage, "discover", counts),
  ),
  check(times, "an Inspect is admitted again when X-RateLimit-Reset and Retry-After say so", timed, (stage) =>
    expectLawful(stage, "inspect", times),
  ),
];

/** Uses up some windows of an operation, with the clock set ahead, and judges the answers as the load does. */
async function expectLawful(
  { account, profile, expect }: Stage,
  operation: LimitedOperation,
  clauses: readonly ClauseId[],
): Promise<void> {
  const windowSeconds = profile.limits.window;
  const { asking, seen } = askedOf(account, operation);
  let from = 0;
  await askLimit({ ...asking, unusedFrom: (at) => void (from = at) });
  const { findings } = judgeLimits(
    seen.filter(({ sentAt }) => sentAt >= from).sort((one, other) => one.sentAt - other.sentAt),
    { quotas: profile.limits, windowSeconds },
  );
  if (findings.some(({ name }) => name === "quota-not-reached"))
    throw new Unverifiable("the server is too slow for its quota to be used up");
  expect(
    findings
      .filter((finding) => clauses.some((id) => finding.clauses.includes(id)))
      .map(({ title, fact }) => `${title}: expected ${expectedWords(fact)}, received ${receivedWords(fact)}`),
    `what some windows of ${operation} show of it that no lawful limiter does`,
  ).toBeEmpty();
}
