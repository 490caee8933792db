import { condition } from "../judge/fact.ts";
import { inSeconds, quotaClause, spanOf, timeOf, type Case, type LimitFault } from "./case.ts";
import { looksLike } from "./excess.ts";
import { isFixed } from "./kind.ts";
import { isLawful, type Limiter } from "./limiters.ts";
import { waitSeconds, type Observation } from "./observation.ts";
import { sharedWith } from "./shared.ts";
import { apartIn, betweenRefusals, countedApart, enough } from "./sharing.ts";
import {
  Counts,
  countedBefore,
  fullest,
  isAdmitted,
  isRefused,
  precedes,
  resolutionMs,
  roundsOf,
  type Round,
  type Track,
} from "./times.ts";

/** Statuses that limits refuse with, other than 429. */
const standIns = [200, 403, 420, 503];

/**
 * The track with the answers that stand in for a 429 as refusals: those with the status that a lone request got after
 * others had been admitted. A busy server answers one of many requests so, but not a lone one.
 */
export function withStandIns(track: Track): Observation[] {
  const lone = track.find(
    (observation) =>
      observation.outcome === "unclear" &&
      observation.varied === null &&
      standIns.includes(observation.status) &&
      track.some((other) => isAdmitted(other) && precedes(other, observation)) &&
      track.every(
        (other) => other === observation || precedes(other, observation) || precedes(observation, other),
      ),
  );
  return track.map((observation) =>
    lone !== undefined && observation.outcome === "unclear" && observation.status === lone.status
      ? { ...observation, outcome: "refused" }
      : observation,
  );
}

/** Refusals with a status other than 429. */
export function anotherStatus({ track }: Case): LimitFault | null {
  const shown = track.filter((observation) => isRefused(observation) && observation.status !== 429);
  if (shown.length === 0) return null;
  const [{ status }] = shown as [Observation];
  const admitted = roundsOf(track)[0]!.admitted.length;
  return {
    name: "refuses-with-another-status",
    clauses: ["LIMI-05"],
    title: "requests beyond the quota are refused, but not with 429",
    fact: condition("429", `${status === 200 ? "200 with an error" : status} after ${admitted} admitted`, {
      kind: "status",
    }),
    count: shown.length,
    shown,
  };
}

/** More than a quota was sent, and nothing was refused. */
export function neverRefuses(limitCase: Case): LimitFault | null {
  const { track, quota, windowMs, operation } = limitCase;
  if (track.length <= quota || track.some(isRefused)) return null;
  const admitted = fullest(track, windowMs);
  // A server counts a request when it comes to it, which may be long after it was sent.
  const exceeded = !isLawful(track, limitCase);
  return {
    name: exceeded ? "never-refuses" : "quota-not-reached",
    clauses: exceeded ? [quotaClause[operation], "LIMI-05"] : [],
    verdict: "fail",
    title: exceeded
      ? "no request beyond the quota is refused"
      : "the server is too slow for its quota to be reached, or delays requests instead of refusing them",
    fact: condition(
      `429 to some of more than ${quota} requests within ${inSeconds(windowMs)}`,
      `${track.length} sent ${spanOf(track)}, at most ${admitted.length} of them surely admitted within ${inSeconds(windowMs)}, none refused${exceeded ? looksLike(admitted, track, quota) : ""}`,
      { kind: "count" },
    ),
    shown: (exceeded ? admitted : track).slice(quota),
  };
}

/** Refusals before which no lawful limiter had counted a whole quota. */
export function earlyIn({ track, quota, windowMs }: Case): Observation[] {
  const counts = new Counts(track, windowMs);
  return counts.refusals.filter(
    (refusal) => counts.possibleBefore(refusal, refusal.sentAt - windowMs - resolutionMs) < quota,
  );
}

/** Requests refused although less than a quota was admitted in the window before. */
export function refusesTooEarly(limitCase: Case): LimitFault | null {
  const { track, quota, windowMs, operation } = limitCase;
  const early = earlyIn(limitCase);
  if (early.length === 0) return null;
  const [first] = roundsOf(track);
  const whole = first!.admitted.length >= quota;
  const fault = { clauses: [quotaClause[operation], "LIMI-06"], count: early.length, shown: early } as const;
  const shared = sharedWith(limitCase, early);
  if (shared !== null) return { ...fault, ...shared };
  const last = early.at(-1)!;
  const before = track.filter((other) => isAdmitted(other) && precedes(other, last)).at(-1);
  const waited = before === undefined ? 0 : last.sentAt - before.answeredAt;
  if (!whole || before === undefined || waited <= windowMs) {
    const counted = countedBefore(track, whole ? last : early[0]!, windowMs + resolutionMs).length;
    return {
      ...fault,
      name: "refuses-too-early",
      title: "a request within the quota is refused",
      fact: condition(
        `${quota} admitted in the ${inSeconds(windowMs)} before a refusal`,
        `${counted} admitted${limitCase.kind.kind === "weighted" ? ": an estimate from two windows?" : prolonged(limitCase, before)}`,
        { kind: "count" },
      ),
    };
  }
  const again = track.some((other) => isAdmitted(other) && precedes(last, other));
  return {
    ...fault,
    name: again ? "window-too-long" : "window-never-ends",
    title: again
      ? "a quota that was used up does not come back within a window"
      : "a refused account is never admitted again",
    fact: condition(
      `admitted again ${inSeconds(windowMs)} after the requests that used the quota up`,
      `refused ${inSeconds(waited)} after the last of them${prolonged(limitCase, before)}`,
      { kind: "count" },
    ),
  };
}

/** What refusals that prolong a window look like. @param since the last request that was admitted before them */
function prolonged({ track, windowMs }: Case, since: Observation | undefined): string {
  const after = track.filter((observation) => since !== undefined && precedes(since, observation));
  const back = after.findIndex(isAdmitted);
  if (back > 0 && after[back]!.sentAt - after[back - 1]!.answeredAt > windowMs)
    return ", and admitted again only after a window without a request: do refusals prolong the window?";
  const resets = after
    .slice(0, back < 0 ? undefined : back)
    .flatMap(({ reset, outcome }) => (outcome === "refused" && reset !== null ? [reset] : []));
  const moves = resets.length > 2 && resets.at(-1)! > resets[0]! + 1;
  if (moves) return ", while later refusals named a later X-RateLimit-Reset: do refusals prolong the window?";
  const refused = after.slice(0, back < 0 ? undefined : back).filter(isRefused);
  return beginsAgain(refused)
    ? ", while each refusal named the same wait from its own time on: does each of them begin a block anew?"
    : "";
}

/** Whether refusals that are seconds apart all name the same wait. */
function beginsAgain(refused: readonly Observation[]): boolean {
  const waits = refused.map((observation) => waitSeconds(observation) ?? NaN);
  const apart = refused.length < 3 ? 0 : refused.at(-1)!.sentAt - refused[0]!.answeredAt;
  return apart > 3 * resolutionMs && waits[0]! > 1 && Math.max(...waits) - Math.min(...waits) <= 1;
}

/** More admitted than any lawful limiter admits. */
export function admitsTooMany(limitCase: Case): LimitFault | null {
  const { quota, windowMs, operation } = limitCase;
  const apart = apartIn(limitCase);
  // A quota that is too small explains its refusals; what it admits may still be too many.
  const counted =
    earlyIn(limitCase).length > 0 ? limitCase.track.filter((other) => !isRefused(other)) : limitCase.track;
  const track = counted.filter(({ varied }) => !apart.has(varied ?? ""));
  if (isLawful(track, limitCase)) return byItsOwnWord(limitCase, track);
  const second = secondCount(track, limitCase);
  if (second !== null) return second;
  const rounds = roundsOf(track);
  const fault = {
    clauses: [quotaClause[operation], "LIMI-10"] as const,
    title: "more requests are admitted than the quota",
  };
  const inRound = rounds
    .map(({ admitted }) => fullest(admitted, windowMs))
    .find((span) => span.length > quota);
  const short =
    (inRound !== undefined && sayOneWindow(inRound)) || rounds.some(isInTurn)
      ? null
      : shortestOf(rounds, limitCase);
  if (short !== null && short.atMostMs < windowMs - resolutionMs)
    return {
      ...fault,
      name: "window-too-short",
      title: "a quota that was used up comes back before a window has passed",
      fact: condition(
        `${quota} admitted every ${inSeconds(windowMs)}`,
        `${short.admitted} admitted, and a whole quota again at most ${inSeconds(short.atMostMs)} later${short.goesOn ? ", before X-RateLimit-Reset: or two counts?" : ""}`,
        { kind: "count" },
      ),
      shown: short.shown,
    };
  const most = fullest(track, windowMs);
  if (most.length === 0) return null;
  const beyond = inRound ?? (most.length > 2 * quota ? most : undefined);
  if (beyond !== undefined)
    return {
      ...fault,
      name: "admits-too-many",
      fact: condition(
        `${quota} admitted in a window of ${inSeconds(windowMs)}`,
        `${beyond.length} admitted ${spanOf(beyond)}${looksLike(beyond, track, quota)}`,
        { kind: "count" },
      ),
      count: beyond.length - quota,
      shown: beyond.slice(quota),
    };
  const partial = rounds
    .slice(1)
    .find((round) => round.refused.length > 0 && round.admitted.length < quota && !isInTurn(round));
  if (partial !== undefined && limitCase.kind.kind !== "token-bucket")
    return {
      name: "refuses-too-early",
      clauses: [quotaClause[operation], "LIMI-06"],
      title: "a request within the quota is refused",
      fact: condition(
        `${quota} admitted in the window that begins at ${timeOf(partial.admitted[0]!.sentAt)}`,
        `${partial.admitted.length} admitted, then a refusal`,
        { kind: "count" },
      ),
      shown: partial.refused,
    };
  // As many as a bucket may admit prove nothing, whatever else about the times does not fit one.
  if (most.length <= mostOfBucket(most, limitCase)) return null;
  return {
    ...fault,
    name: "admits-too-many",
    fact: condition(
      `at most ${quota} at once, or ${((1000 * quota) / windowMs).toFixed(1)} a second`,
      `${most.length} admitted in ${inSeconds(windowMs)}; ${limitCase.kind.restsOn}`,
      { kind: "count" },
    ),
    shown: most.slice(quota),
  };
}

/** The most that a bucket admits in the time of some requests: its quota, what it refills, and one of a whole tick. */
const mostOfBucket = (some: readonly Observation[], { quota, windowMs }: Limiter): number => {
  const ms =
    Math.max(...some.map(({ answeredAt }) => answeredAt)) - Math.min(...some.map(({ sentAt }) => sentAt));
  return quota + 1 + Math.floor((quota * ms) / windowMs);
};

/**
 * A second count, for the requests of a variation: without them the track is lawful. Plain requests admitted along with
 * them have two counts themselves, unless others were refused around enough of those of the variation.
 */
function secondCount(track: Track, limiter: Limiter): LimitFault | null {
  for (const varied of new Set(track.map((observation) => observation.varied))) {
    const apart = track.filter((observation) => observation.varied === varied && isAdmitted(observation));
    const [first, last] = [apart[0], apart.at(-1)];
    if (varied === null || first === undefined) continue;
    const without = track.filter((observation) => observation.varied !== varied);
    const alongside = without.some(
      (observation) =>
        isAdmitted(observation) && precedes(first, observation) && precedes(observation, last!),
    );
    // On a slow machine a window may end meanwhile.
    const isApart = !alongside || (betweenRefusals(track).get(varied)?.length ?? 0) >= enough;
    if (isApart && isLawful(without, limiter)) return countedApart(varied, apart);
  }
  return null;
}

/**
 * More admitted, without a refusal, before the X-RateLimit-Reset of the first answer has passed. By the times, a window
 * may have ended between them; by the server's own word it has not.
 */
function byItsOwnWord(limitCase: Case, track: Track): LimitFault | null {
  const { quota, offset, operation, kind } = limitCase;
  for (const { admitted } of roundsOf(track)) {
    const first = admitted.find(({ reset }) => reset !== null);
    if (first === undefined) continue;
    const within = admitted.filter(
      ({ sentAt, answeredAt }) =>
        sentAt >= first.sentAt && answeredAt + offset.ms + offset.doubtMs < 1000 * (first.reset! - 1),
    );
    if (within.length <= quota) continue;
    if (!isFixed(kind.kind) && within.length <= mostOfBucket(within, limitCase)) continue;
    return {
      name: "admits-too-many",
      clauses: [quotaClause[operation], "LIMI-10"],
      title: "more requests are admitted than the quota",
      fact: condition(
        `${quota} admitted before X-RateLimit-Reset ${first.reset}`,
        `${within.length} admitted ${spanOf(within)}${looksLike(within, track, quota)}`,
        { kind: "count" },
      ),
      count: within.length - quota,
      shown: within.slice(quota),
    };
  }
  return null;
}

/** Whether some answers name one window by its end. */
function sayOneWindow(some: readonly Observation[]): boolean {
  const resets = some.map(({ reset }) => reset ?? NaN);
  return Math.max(...resets) - Math.min(...resets) <= 1;
}

/** Whether requests are admitted after others were refused: one count refuses all until its window ends. */
const isInTurn = ({ admitted, refused }: Round): boolean =>
  refused.some((observation) => admitted.some((other) => precedes(observation, other)));

/**
 * The shortest time in which a whole quota that was used up came back twice.
 * `goesOn`: by the server's own word the window had not ended, so the second may be another count.
 */
function shortestOf(
  rounds: readonly Round[],
  { quota, offset }: Case,
): { atMostMs: number; admitted: number; goesOn: boolean; shown: Observation[] } | null {
  let shortest: ReturnType<typeof shortestOf> = null;
  for (const [index, { admitted, refused }] of rounds.entries()) {
    const next = rounds[index + 1];
    const before = rounds[index - 1]?.refused.at(-1);
    if (
      next === undefined ||
      before === undefined ||
      refused.length === 0 ||
      Math.min(admitted.length, next.admitted.length) < 0.8 * quota ||
      admitted.length > quota ||
      sayOneWindow([before, admitted[0]!])
    )
      continue;
    const atMostMs = next.admitted[0]!.answeredAt - before.sentAt;
    const goesOn = 1000 * ((before.reset ?? 0) - 1) > admitted[0]!.answeredAt + offset.ms + offset.doubtMs;
    if (shortest === null || atMostMs < shortest.atMostMs)
      shortest = { atMostMs, admitted: admitted.length, goesOn, shown: [admitted[0]!, next.admitted[0]!] };
  }
  return shortest;
}
