import type { LimitedOperation } from "../../../../generated/contract.ts";
import type { Case } from "./case.ts";
import { kindWords, type Kind } from "./kind.ts";
import { anotherKey, apartIn } from "./sharing.ts";
import { fullest, isAdmitted, isRefused, precedes, roundsOf } from "./times.ts";
import { waitsOf } from "./waits.ts";

/** What a run saw of one operation's limit. */
export interface RateLimitFacts {
  operation: LimitedOperation;
  declared: { quota: number; window_seconds: number };
  /** Requests admitted from the first one of an unused window to the first refusal; null if nothing was refused. */
  measured_quota: number | null;
  /** The time after which a quota that was used up was admitted again: it lies between these. */
  measured_window_seconds: { least: number; most: number } | null;
  /** The most requests that were surely admitted within one declared window. */
  fullest_window: number;
  first_refusal: { after_admitted: number; status: number } | null;
  /** Requests sent when Retry-After had passed, and those of them that were admitted. */
  waits: { asked: number; kept: number };
  /** Whether the keys of an account share the quota; null if that was not seen. */
  keys_shared: boolean | null;
  /** Whether another account was served while this one was refused; null if that was not seen. */
  other_account_served: boolean | null;
  /** Variations that have a quota of their own, such as `User-Agent`. */
  counted_apart: string[];
  kind: Kind;
  /** A description of the kind. */
  kind_words: string;
  /** What the kind rests on. */
  kind_rests_on: string;
  /** Requests that a bucket gives back each second. */
  refill_per_second?: number;
}

/** The facts of the account that used its quota up. */
export function factsOf(one: Case): RateLimitFacts {
  const { track, operation, quota, windowMs, kind, others, account } = one;
  const plain = track.filter(({ varied }) => varied === null);
  const rounds = roundsOf(plain);
  const [first, second] = rounds;
  const firstRefused = first?.refused[0];
  const apart = [...apartIn(one).keys()];
  const keyed = track.filter(({ varied }) => varied === anotherKey);
  const used = firstRefused === undefined ? null : first!.admitted.length;
  const elsewhere = others
    .filter(([other]) => other!.operation === operation && other!.account !== account)
    .flat()
    .filter((other) => plain.some((refused) => isRefused(refused) && precedes(refused, other)));
  return {
    operation,
    declared: { quota, window_seconds: windowMs / 1000 },
    measured_quota: used,
    measured_window_seconds:
      second === undefined || first!.refused.length === 0
        ? null
        : {
            least: seconds(first!.refused.at(-1)!.sentAt - first!.admitted[0]!.answeredAt),
            most: seconds(second.admitted[0]!.answeredAt - first!.admitted[0]!.sentAt),
          },
    fullest_window: fullest(track, windowMs).length,
    first_refusal: firstRefused === undefined ? null : { after_admitted: used!, status: firstRefused.status },
    waits: waitsOf(track),
    keys_shared: keyed.length === 0 ? null : !apart.includes(anotherKey),
    other_account_served: elsewhere.length === 0 ? null : elsewhere.some(isAdmitted),
    counted_apart: apart.filter((varied) => varied !== anotherKey),
    kind: kind.kind,
    kind_words: kindWords[kind.kind],
    kind_rests_on: kind.restsOn,
    ...(kind.perSecond === undefined ? {} : { refill_per_second: kind.perSecond }),
  };
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
