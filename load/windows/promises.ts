import { edge, shown, type Case } from "./case.ts";
import { retryZero } from "./headers.ts";
import type { Observation } from "./observation.ts";

/** How a refusal breaks what an earlier one announced, the gravest first. */
const breaches = {
  never: {
    name: "window-never-ends",
    title: "an account is refused although X-RateLimit-Reset has passed",
    expected: "a request after X-RateLimit-Reset is admitted",
    received: "429",
  },
  zero: {
    name: "retry-after-zero",
    title: retryZero,
    expected: "a positive integer of seconds",
    received: "429 more than a second after Retry-After 0",
  },
  early: {
    name: "retry-after-too-short",
    title: "a request after Retry-After seconds is refused",
    expected: "a request after Retry-After seconds is admitted",
    received: "429 more than a second later",
  },
  rounded: {
    name: "retry-after-rounded-down",
    verdict: "warn",
    title: "Retry-After is rounded down: a request exactly then is refused, a second later it is not",
    expected: "Retry-After rounded up",
    received: "429",
  },
} as const;

type Breach = keyof typeof breaches;

/** Whether a refused account is admitted again at the announced time, and at all. */
export function promises({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const broken: Record<Breach, Observation[]> = { never: [], zero: [], early: [], rounded: [] };
  for (const later of refused) {
    for (const earlier of refused) {
      if (earlier.answeredAt > later.sentAt) break;
      if (isAdmittedBetween(track, earlier, later)) continue;
      const breach = breachOf(earlier, later, skew);
      if (breach === null) continue;
      broken[breach].push(later);
      if (breach !== "rounded") break;
    }
  }
  const gravest = (Object.keys(breaches) as Breach[]).find((breach) => broken[breach].length > 0);
  if (gravest === undefined) return;
  find({
    clauses: ["LIMI-19"],
    ...breaches[gravest],
    count: broken[gravest].length,
    exchanges: shown(broken[gravest]),
  });
}

const isAdmittedBetween = (track: Case["track"], earlier: Observation, later: Observation): boolean =>
  track.some(
    ({ admitted, sentAt, answeredAt }) =>
      admitted && answeredAt >= earlier.sentAt && sentAt <= later.answeredAt,
  );

/** How a refusal breaks what an earlier one announced; null when it does not. */
function breachOf(earlier: Observation, later: Observation, skew: Case["skew"]): Breach | null {
  const { reset, retryAfter } = earlier;
  if (reset !== null && later.sentAt + skew.offset - skew.doubt >= 1000 * reset + edge) return "never";
  if (retryAfter === null || !/^\d+$/.test(retryAfter)) return null;
  const lateMs = later.sentAt - earlier.answeredAt - 1000 * Number(retryAfter);
  if (lateMs >= 1000) return Number(retryAfter) === 0 ? "zero" : "early";
  return lateMs >= edge ? "rounded" : null;
}
