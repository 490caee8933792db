import { condition } from "../judge/fact.ts";
import type { Case, LimitFault } from "./case.ts";
import type { Observation } from "./observation.ts";
import { isAdmitted, isRefused, precedes, type Track } from "./times.ts";

/** The variation that sends a request with another key of the account. */
export const anotherKey = "key of the account";

/** Varied requests that must be admitted, each next to a plain one that is refused, to show that they count apart. */
export const enough = 3;

/** The varied requests of each variation that were admitted although the plain requests around them were refused. */
export function betweenRefusals(track: Track): Map<string, Observation[]> {
  const plain = track.filter(({ varied }) => varied === null);
  const between = track.filter((observation) => {
    if (observation.varied === null || !isAdmitted(observation)) return false;
    const before = plain.findLast((other) => precedes(other, observation));
    const after = plain.find((other) => precedes(observation, other));
    return before !== undefined && after !== undefined && isRefused(before) && isRefused(after);
  });
  return Map.groupBy(between, ({ varied }) => varied!);
}

/** Those between refusals, where they are more than a bucket may have refilled meanwhile. */
export function apartIn({ track, quota, windowMs }: Case): Map<string, Observation[]> {
  const apart = betweenRefusals(track);
  for (const [varied, admitted] of apart) {
    const ms = admitted.at(-1)!.answeredAt - admitted[0]!.sentAt;
    if (admitted.length < enough + Math.floor((ms * quota) / windowMs)) apart.delete(varied);
  }
  return apart;
}

/** Quotas that a client multiplies by varying something that is not an account of its own. */
export const countsApart = (limitCase: Case): LimitFault[] =>
  [...apartIn(limitCase)].map(([varied, shown]) => ({
    ...countedApart(varied, shown),
    received: `${shown.length} admitted with another ${varied}, between refusals without`,
  }));

/** A quota of its own for requests of a variation. @param shown those that were admitted */
export function countedApart(varied: string, shown: readonly Observation[]): LimitFault {
  return {
    name: varied === anotherKey ? "counts-keys-apart" : `counts-apart-by-${nameOf(varied)}`,
    clauses: varied === anotherKey ? ["LIMI-07"] : ["LIMI-05"],
    title:
      varied === anotherKey
        ? "each key of an account has a quota of its own"
        : `a request with another ${varied} has a quota of its own`,
    fact: condition(
      "one quota for both",
      `${shown.length} admitted with another ${varied}, beyond what one quota admits`,
      { kind: "count" },
    ),
    count: shown.length,
    shown,
  };
}

/** A variation in the name of a finding, without what differs from run to run. */
const nameOf = (varied: string): string =>
  varied
    .replace(/ \(.*\)$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "-");
