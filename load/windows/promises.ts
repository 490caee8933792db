import { edge, shown, type Case } from "./case.ts";
import { retryZero } from "./headers.ts";
import type { Observation } from "./observation.ts";

/** Whether a refused account is admitted again at the announced time, and at all. */
export function promises({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const broken = {
    never: [] as Observation[],
    zero: [] as Observation[],
    early: [] as Observation[],
    rounded: [] as Observation[],
  };
  for (const later of refused) {
    for (const earlier of refused) {
      if (earlier.answeredAt > later.sentAt) break;
      const between = track.some(
        ({ admitted, sentAt, answeredAt }) =>
          admitted && answeredAt >= earlier.sentAt && sentAt <= later.answeredAt,
      );
      if (between) continue;
      if (earlier.reset !== null && later.sentAt + skew.offset - skew.doubt >= 1000 * earlier.reset + edge) {
        broken.never.push(later);
        break;
      }
      if (earlier.retryAfter === null || !/^\d+$/.test(earlier.retryAfter)) continue;
      const late = later.sentAt - earlier.answeredAt - 1000 * Number(earlier.retryAfter);
      if (late >= 1000) {
        (Number(earlier.retryAfter) === 0 ? broken.zero : broken.early).push(later);
        break;
      }
      if (late >= edge) broken.rounded.push(later);
    }
  }
  if (broken.never.length > 0) {
    find({
      name: "window-never-ends",
      clauses: ["LIMI-19"],
      title: "an account is refused although X-RateLimit-Reset has passed",
      expected: "a request after X-RateLimit-Reset is admitted",
      received: "429",
      count: broken.never.length,
      exchanges: shown(broken.never),
    });
  } else if (broken.zero.length > 0) {
    find({
      name: "retry-after-zero",
      clauses: ["LIMI-19"],
      title: retryZero,
      expected: "a positive integer of seconds",
      received: "429 more than a second after Retry-After 0",
      count: broken.zero.length,
      exchanges: shown(broken.zero),
    });
  } else if (broken.early.length > 0) {
    find({
      name: "retry-after-too-short",
      clauses: ["LIMI-19"],
      title: "a request after Retry-After seconds is refused",
      expected: "a request after Retry-After seconds is admitted",
      received: "429 more than a second later",
      count: broken.early.length,
      exchanges: shown(broken.early),
    });
  } else if (broken.rounded.length > 0) {
    find({
      name: "retry-after-rounded-down",
      clauses: ["LIMI-19"],
      verdict: "warn",
      title: "Retry-After is rounded down: a request exactly then is refused, a second later it is not",
      expected: "Retry-After rounded up",
      received: "429",
      count: broken.rounded.length,
      exchanges: shown(broken.rounded),
    });
  }
}
