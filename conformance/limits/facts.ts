import type { LimitedOperation } from "../../generated/contract.ts";
import type { Case } from "./case.ts";
import { isFixed, kindWords, type Kind } from "./kind.ts";
import { anotherKey, apartIn } from "./sharing.ts";
import { fullest, isAdmitted, isRefused, precedes, roundsOf, windowOf, type Round } from "./times.ts";
import { waitsOf } from "./waits.ts";

/** What a run saw of one operation's limit. */
export interface RateLimitFacts {
  operation: LimitedOperation;
  /** Null if nobody declared it. */
  declared: { quota: number; window_seconds: number } | null;
  /**
   * Requests that one window admitted up to the first refusal, or that a bucket held; null if nothing was refused, or
   * the kind is unknown.
   */
  measured_quota: number | null;
  /** The time after which a quota that was used up was admitted again: it lies between these. */
  measured_window_seconds: { least: number; most: number } | null;
  /**
   * The most requests admitted within one window of the server; of a server without fixed windows, those surely admitted
   * within the declared time. Null if the window is not known.
   */
  fullest_window: number | null;
  first_refusal: { after_admitted: number; status: number } | null;
  /** Waits of a Retry-After that a request outlasted or found over sooner, and those after which it was admitted. */
  waits: { asked: number; kept: number };
  /** Whether the keys of an account share the quota; null if that was not seen. */
  keys_shared: boolean | null;
  /** Whether another account was served while this one was refused; null if that was not seen. */
  other_account_served: boolean | null;
  /** Variations that have a quota of their own, such as `User-Agent`. */
  counted_apart: string[];
  /** Variations of which nothing was refused, and too little admitted to tell that they have a quota of their own. */
  not_seen?: string[];
  /** False if no quota was used up within half a window, or none was seen to come back: the quota is not judged. */
  window_seen?: false;
  /** What makes the measured figures unsure, where only they are looked for. */
  doubts?: string[];
  kind: Kind;
  /** A description of the kind. */
  kind_words: string;
  /** What the kind rests on. */
  kind_rests_on: string;
  /** Requests that a bucket gives back each second. */
  refill_per_second?: number;
}

/** The facts of the account that used its quota up. */
export function factsOf(limitCase: Case): RateLimitFacts {
  const { track, operation, quota, windowMs, kind, others, account } = limitCase;
  const plain = track.filter(({ varied }) => varied === null);
  const rounds = roundsOf(plain);
  const [first] = rounds;
  const firstRefused = first?.refused[0];
  const apart = [...apartIn(limitCase).keys()];
  const varied = Map.groupBy(track, ({ varied: what }) => what ?? "");
  varied.delete("");
  const windows = isFixed(kind.kind) ? rounds.map((round) => windowsOf(round, limitCase)) : null;
  const used = firstRefused === undefined ? null : usedUp(first!, windows?.[0]!.at(-1), limitCase);
  const elsewhere = others
    .filter(([other]) => other!.operation === operation && other!.account !== account)
    .flat()
    .filter((other) => plain.some((refused) => isRefused(refused) && precedes(refused, other)));
  return {
    operation,
    declared: { quota, window_seconds: windowMs / 1000 },
    measured_quota: used,
    measured_window_seconds:
      rounds.length < 2 || used === null
        ? null
        : spanOf(windowOf(isFixed(kind.kind) ? rounds : rounds.slice(0, 2))),
    fullest_window: windows === null ? fullest(track, windowMs).length : Math.max(...windows.flat()),
    first_refusal:
      firstRefused === undefined
        ? null
        : { after_admitted: used ?? first!.admitted.length, status: firstRefused.status },
    waits: waitsOf(track),
    keys_shared: apart.includes(anotherKey) ? false : varied.get(anotherKey)?.some(isRefused) ? true : null,
    other_account_served: elsewhere.length === 0 ? null : elsewhere.some(isAdmitted),
    counted_apart: apart.filter((what) => what !== anotherKey),
    not_seen: [...varied]
      .filter(([what, sent]) => !apart.includes(what) && !sent.some(isRefused) && sent.some(isAdmitted))
      .map(([what]) => what),
    kind: kind.kind,
    kind_words: kindWords[kind.kind],
    kind_rests_on: kind.restsOn,
    ...(kind.windowSeen === false && { window_seen: false }),
    ...(kind.perSecond === undefined ? {} : { refill_per_second: kind.perSecond }),
  };
}

/** How many requests of a round each window admitted: a window ends at its Reset. */
function windowsOf({ admitted }: Round, { offset }: Case): number[] {
  const counts: number[] = [];
  let reset = -Infinity;
  for (const observation of admitted) {
    if (observation.sentAt + offset.ms >= 1000 * reset || counts.length === 0) {
      counts.push(0);
      reset = observation.reset ?? Infinity;
    }
    counts[counts.length - 1]! += 1;
  }
  return counts;
}

/** What was used up at a refusal: a window, or a bucket that refills in part meanwhile; null if neither is known. */
function usedUp({ admitted }: Round, inWindow: number | undefined, { kind }: Case): number | null {
  const { kind: of, perSecond } = kind;
  if (perSecond === undefined) return inWindow ?? (of === "unknown" ? null : admitted.length);
  const end = admitted.at(-1)!.answeredAt;
  const held = admitted.map(
    ({ sentAt }, index) => admitted.length - index - (perSecond * (end - sentAt)) / 1000,
  );
  return Math.max(1, Math.round(Math.max(...held)));
}

const spanOf = ({ minMs, maxMs }: ReturnType<typeof windowOf>) => ({
  least: seconds(minMs),
  most: seconds(maxMs),
});

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
