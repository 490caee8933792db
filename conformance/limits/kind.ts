import { explains, type LawfulKind, type Limiter } from "./limiters.ts";
import type { Offset } from "./observation.ts";
import { precedes, resolutionMs, roundsOf, windowOf, type Round, type Track } from "./times.ts";

/**
 * The kind of a limiter. `fixed`: aligned or first-request, which the times do not tell apart; `leaky-bucket`: refills
 * evenly and holds less than half of the quota; `unknown`: several kinds or none explain what was seen; `none`: nothing
 * was refused.
 */
export type Kind = LawfulKind | "fixed" | "leaky-bucket" | "unknown" | "none";

/** A kind, and what it rests on. */
export interface KindSeen {
  kind: Kind;
  /** What was seen, in a sentence. */
  restsOn: string;
  /** Requests that a bucket gives back each second. */
  perSecond?: number;
  /** False if no quota was used up within half a window, or none was seen to come back: most faults would not show. */
  windowSeen?: false;
}

/** A description of each kind. */
export const kindWords: Readonly<Record<Kind, string>> = {
  aligned: "aligned: windows at whole multiples of their length, the same for all accounts",
  "first-request": "first-request: windows from an account's first request on",
  sliding: "sliding: the window that ends now",
  weighted: "weighted: aligned windows, the last one counted by its share of the window that ends now",
  "token-bucket": "token bucket: refills evenly",
  "leaky-bucket": "leaky bucket: admits at an even rate, with little at once",
  fixed: "fixed windows, aligned or from the first request",
  unknown: "not recognised",
  none: "nothing was refused",
};

/** Whether windows of a kind follow each other without overlap, each with a whole quota. */
export const isFixed = (kind: Kind): boolean => ["aligned", "first-request", "fixed"].includes(kind);

/** Rounds are whole quotas if each admits at least this share of the largest. */
const wholeShare = 0.9;

/** The most requests that open a window before its quota is used up: see `askLimit`. */
const openingRequests = 2;

/** Recognises the kind of a limiter from the times at which it admitted and refused, even if its quota is not the declared one. */
export function kindOf(track: Track, declared: Limiter, offset: Offset): KindSeen {
  const { windowMs } = declared;
  const plain = track.filter(({ varied }) => varied === null);
  const rounds = roundsOf(plain);
  const [first, second] = rounds;
  if (first === undefined || first.refused.length === 0) return { kind: "none", restsOn: kindWords.none };
  if (second === undefined)
    return { kind: "unknown", restsOn: "no request was admitted again after a refusal", windowSeen: false };
  // Besides those that open a window, the requests of the first round are a burst.
  const burst = first.admitted.slice(openingRequests);
  if (burst.length > 0 && burst.at(-1)!.answeredAt - burst[0]!.sentAt > windowMs / 2)
    return {
      kind: "unknown",
      restsOn: "a quota took longer than half a window to use up",
      windowSeen: false,
    };
  const after = `${secondsBetween(first, second)} s after the first request`;
  const later = rounds.slice(1).filter(({ refused }) => refused.length > 0);
  if (later.length === 0)
    return {
      kind: "unknown",
      restsOn: `a request was admitted again ${after}, and no more were sent`,
      windowSeen: false,
    };
  const quota = first.admitted.length;
  const most = Math.max(quota, ...later.map(({ admitted }) => admitted.length));
  const mayBe = (kind: LawfulKind, ...limiters: readonly Limiter[]): boolean =>
    limiters.some((limiter) => [track, plain].some((counted) => explains[kind](counted, limiter)));
  if ([first, ...later].every(({ admitted }) => admitted.length >= wholeShare * most)) {
    const restsOn = `the whole quota came back ${after}`;
    // Seldom asked, a limiter that gives back a little at a time has it all again.
    const isGradual = (["sliding", "token-bucket"] as const).some((kind) =>
      mayBe(kind, { quota, windowMs }, declared),
    );
    if (quota > openingRequests && isGradual)
      return { kind: "unknown", restsOn: `${restsOn}, and may have come back before` };
    return fixedKind(track, rounds, windowMs, offset, restsOn);
  }
  return gradualKind(rounds, declared, mayBe);
}

/**
 * A kind that gives back a part of its quota at a time.
 * @param mayBe whether a kind explains what was seen, whether or not the varied requests count along with the others
 */
function gradualKind(
  rounds: readonly Round[],
  declared: Limiter,
  mayBe: (kind: LawfulKind, ...limiters: readonly Limiter[]) => boolean,
): KindSeen {
  const { windowMs } = declared;
  const quota = rounds[0]!.admitted.length;
  const limiter = { quota, windowMs };
  const later = rounds.slice(1).filter(({ refused }) => refused.length > 0);
  const returned = `${later.map(({ admitted }) => admitted.length).join(", ")} of ${quota} came back`;
  // A slow machine spreads requests over windows, so whole quotas come back in parts.
  if (mayBe("aligned", declared) || mayBe("first-request", declared))
    return { kind: "unknown", restsOn: `${returned}, as fixed windows may give it` };
  if (quota > openingRequests && mayBe("sliding", limiter))
    return { kind: "sliding", restsOn: `${returned}, each a window after it was used` };
  const perSecond = refillOf(rounds);
  const rate = `${returned}, about ${perSecond.toPrecision(2)} a second`;
  const [isSliding, isWeighted, isBucket] = (["sliding", "weighted", "token-bucket"] as const).map((kind) =>
    mayBe(kind, limiter, declared),
  );
  if (refillsEvenly(rounds, perSecond)) {
    if (isWeighted && !isBucket) return { kind: "unknown", restsOn: rate };
    const kind = quota < (perSecond * windowMs) / 2000 ? "leaky-bucket" : "token-bucket";
    return { kind, perSecond, restsOn: rate };
  }
  if (isBucket && !isWeighted) return { kind: "token-bucket", perSecond, restsOn: rate };
  if (isWeighted && !isBucket && !isSliding)
    return { kind: "weighted", restsOn: `${returned} after the end of a window` };
  return { kind: "unknown", restsOn: returned };
}

/** Aligned windows may turn sooner than a whole window after a first request; those from the first request may not. */
function fixedKind(
  track: Track,
  rounds: readonly Round[],
  windowMs: number,
  offset: Offset,
  restsOn: string,
): KindSeen {
  const [first, second] = rounds;
  const [opening, back] = [first!.admitted[0]!, second!.admitted[0]!];
  const { minMs, maxMs } = windowOf(rounds);
  if (minMs > windowMs + resolutionMs || maxMs < windowMs - resolutionMs)
    return {
      kind: "fixed",
      restsOn: `${restsOn}, and again after ${seconds(minMs)} to ${seconds(maxMs)} s`,
    };
  const said = track.filter(
    ({ reset, remaining, limit }) => reset !== null && remaining !== null && limit !== null,
  );
  const openings = said.filter(
    ({ limit, remaining, outcome }) => outcome === "admitted" && remaining === limit! - 1,
  );
  const early = openings.find(
    ({ reset, sentAt }) => 1000 * reset! + offset.doubtMs + 20 < sentAt + offset.ms + windowMs,
  );
  // Windows that follow each other from an account's first request on may end at any time.
  const offGrid = openings.some(
    ({ reset }) => Math.abs(((1000 * reset!) % windowMs) - windowMs / 2) < windowMs / 2 - 1.5 * resolutionMs,
  );
  if (offGrid && (early !== undefined || back.answeredAt < opening.sentAt + windowMs - resolutionMs))
    return { kind: "fixed", restsOn };
  if (back.answeredAt < opening.sentAt + windowMs - resolutionMs)
    return { kind: "aligned", restsOn: `${restsOn}, less than a window` };
  if (early !== undefined)
    return {
      kind: "aligned",
      restsOn: `${restsOn}, and the X-RateLimit-Reset of a first request was less than a window away`,
    };
  if (offGrid && openings.length > 1) return { kind: "first-request", restsOn: `${restsOn}, a window` };
  return { kind: "fixed", restsOn };
}

const secondsBetween = ({ admitted }: Round, next: Round): string =>
  seconds(next.admitted[0]!.sentAt - admitted[0]!.sentAt);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** The time of a round's refill in seconds: from the last request that was admitted before it to its last one. */
const refillSeconds = (before: Round, round: Round): number =>
  (round.admitted.at(-1)!.answeredAt - before.admitted.at(-1)!.answeredAt) / 1000;

const pairsOf = (rounds: readonly Round[]): [Round, Round][] =>
  rounds.slice(1).flatMap((round, index) => (round.refused.length > 0 ? [[rounds[index]!, round]] : []));

/** Requests given back each second, over all rounds but the first. */
function refillOf(rounds: readonly Round[]): number {
  const pairs = pairsOf(rounds);
  const admitted = pairs.reduce((sum, [, round]) => sum + round.admitted.length, 0);
  const seconds = pairs.reduce((sum, [before, round]) => sum + refillSeconds(before, round), 0);
  return seconds > 0 ? admitted / seconds : 0;
}

/** Whether each round gave back what its time refills, give or take two requests and a fifth. */
const refillsEvenly = (rounds: readonly Round[], perSecond: number): boolean =>
  pairsOf(rounds).length > 1 &&
  pairsOf(rounds).every(([before, round]) => {
    const due = perSecond * refillSeconds(before, round);
    return (
      Math.abs(round.admitted.length - due) <= 2 + 0.2 * due &&
      precedes(before.refused[0]!, round.refused.at(-1)!)
    );
  });
