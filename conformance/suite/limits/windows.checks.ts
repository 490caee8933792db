import type { ClauseId } from "../../../generated/clauses.ts";
import type { LimitedOperation } from "../../../generated/contract.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { check, type Stage } from "../../run/check.ts";
import { freeRequest } from "../../server/windows.ts";
import { askLimit } from "./judge/course.ts";
import { judgeLimits } from "./judge/judge.ts";
import { observationOf, offsetOf, type Observation } from "./judge/observation.ts";

/** Uses up some windows of an operation, with the clock set ahead, and judges the answers as the load does. */
async function expectLawful(
  { account, profile, expect }: Stage,
  operation: LimitedOperation,
  clauses: readonly ClauseId[],
): Promise<void> {
  const { session } = account;
  const windowSeconds = profile.limits.window;
  const seen: Observation[] = [];
  const send = async (): Promise<Observation> => {
    const { exchange } = await freeRequest(account, operation);
    const one = observationOf(exchange, { account: account.label ?? "account", operation })!;
    seen.push(one);
    return one;
  };
  const { from } = await askLimit({
    quota: profile.limits[operation],
    windowMs: 1000 * windowSeconds,
    variations: [],
    hasOther: false,
    send,
    async burst(amount, connections) {
      let begun = 0;
      const sent: Observation[] = [];
      const sender = async (): Promise<void> => {
        while ((begun += 1) <= amount) sent.push(await send());
      };
      await Promise.all(Array.from({ length: connections }, sender));
      return sent;
    },
    offset: () => offsetOf(seen),
    now: () => session.now(),
    pause: (milliseconds) => session.pause(milliseconds, `a part of a window of ${operation}`),
    together: async (holds) => holds,
    say: () => undefined,
  });
  const { findings } = judgeLimits(
    seen.filter(({ sentAt }) => sentAt >= from).sort((one, other) => one.sentAt - other.sentAt),
    { quotas: profile.limits, windowSeconds },
  );
  if (findings.some(({ name }) => name === "quota-not-reached"))
    throw new Unverifiable("the server is too slow for its quota to be used up");
  expect(
    findings
      .filter((one) => one.clauses.some((id) => clauses.includes(id)))
      .map(({ title, expected, received }) => `${title}: expected ${expected}, received ${received}`),
    `what some windows of ${operation} show of it that no lawful limiter does`,
  ).toBeEmpty();
}

const timed = { feature: "rate_limits", fresh: true, needs: ["time"] } as const;
const counts = ["LIMI-05", "LIMI-01", "LIMI-06"] as const;
const times = ["LIMI-15", "LIMI-19"] as const;

export const checks = [
  check(counts, "one window of Discover after another admits the quota, and no more", timed, (stage) =>
    expectLawful(stage, "discover", counts),
  ),
  check(times, "an Inspect is admitted again when X-RateLimit-Reset and Retry-After say so", timed, (stage) =>
    expectLawful(stage, "inspect", times),
  ),
];
