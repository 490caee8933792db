import type { LimitedOperation } from "../../generated/contract.ts";
import { condition, type Fact } from "../judge/fact.ts";
import type { Fault } from "../judge/fault.ts";
import type { Case } from "./case.ts";
import type { Observation } from "./observation.ts";
import { countedBefore, precedes, resolutionMs, roundsOf, type Track } from "./times.ts";

/** Own requests below this share of a quota leave room for those of others. */
const partialShare = 0.8;
/** A point of refusal has moved if it is by this share of a quota elsewhere. */
const movedShare = 0.125;
/** The other account is refused after so few requests that none of its own explain it. */
const fewShare = 0.25;

/**
 * Who else used up a quota. A sum of what several operations used fits by chance, since it passes through every number: it
 * is a proof only if requests of another operation, instead of own ones, have moved the point of refusal.
 * @param early refusals before which this account had not used a quota of the operation
 */
export function sharedWith(limitCase: Case, early: readonly Observation[]): Fault | null {
  const { quota, others, operation, account } = limitCase;
  const factOf = (received: string): Fact =>
    condition(`${quota} admitted before a refusal`, received, { kind: "count" });
  const first = early[0]!;
  const ownCount = countedIn(limitCase, [limitCase.track], first);
  const ofAccounts = others.filter(([other]) => other!.operation === operation && other!.account !== account);
  const accounts = countedIn(limitCase, ofAccounts, first);
  if (ownCount <= fewShare * quota && accounts > ownCount && accounts + ownCount >= quota)
    return {
      name: "accounts-share-a-quota",
      clauses: ["LIMI-08"],
      title: "what one account uses up, another cannot use",
      fact: factOf(`a refusal after ${ownCount}, when other accounts had used ${accounts}`),
    };
  const apart = movedIn(limitCase);
  if (apart === null || !isExplained(limitCase, early)) return null;
  return {
    name: "operations-share-a-quota",
    clauses: ["LIMI-09"],
    title: "what one operation uses up, another cannot use",
    fact: factOf(
      `a refusal after ${apart.first.own}, and after ${apart.second.own} when the account's other operations had used ${apart.second.others}`,
    ),
  };
}

const countedIn = ({ windowMs }: Case, tracks: readonly Track[], before: Observation): number =>
  tracks.reduce((sum, track) => sum + countedBefore(track, before, windowMs + resolutionMs).length, 0);

const ofAccount = ({ others, account, operation }: Case): Track[] =>
  others.filter(([other]) => other!.account === account && other!.operation !== operation);

/** Whether each early refusal came when those who share a quota had used it together. */
const isExplained = (
  limitCase: Case,
  early: readonly Observation[],
  tracks = ofAccount(limitCase),
): boolean =>
  early.every((refused) => countedIn(limitCase, [limitCase.track, ...tracks], refused) >= limitCase.quota);

/** Whether early refusals follow from a quota that is known to be shared. */
export function followsFromSharing(limitCase: Case, early: readonly Observation[], shared: string): boolean {
  const ofAccounts = limitCase.others.filter(([other]) => other!.operation === limitCase.operation);
  return isExplained(
    limitCase,
    early,
    shared === "accounts-share-a-quota" ? ofAccounts : ofAccount(limitCase),
  );
}

interface Point {
  own: number;
  others: number;
}

/**
 * Two points of refusal that differ by what others had used before: of the second one, they add up to the quota, and own
 * requests alone do not, however a window before is counted.
 */
function movedIn(limitCase: Case): { first: Point; second: Point } | null {
  const { quota, windowMs } = limitCase;
  const points = roundsOf(limitCase.track).flatMap((round) => {
    const [refused] = round.refused;
    if (refused === undefined || round.admitted.length === 0) return [];
    const began = round.admitted[0]!;
    const ownCount = countedIn(limitCase, [limitCase.track], refused);
    const before = ofAccount(limitCase).map((track) =>
      countedBefore(track, refused, windowMs + resolutionMs),
    );
    // Requests of others that came in between leave it open which of them the server had counted.
    const isCalm = before.flat().every((other) => precedes(other, began));
    const refilled =
      (quota * (refused.answeredAt - Math.min(began.sentAt, ...before.flat().map(({ sentAt }) => sentAt)))) /
      windowMs;
    const estimated = estimateOf(limitCase, refused);
    return [{ own: ownCount, others: before.flat().length, isCalm, refilled, estimated }];
  });
  for (const second of points) {
    const { own, others, isCalm, refilled, estimated } = second;
    const doubt = Math.max(3, 0.05 * quota);
    const sum = own + others;
    if (!isCalm || others < movedShare * quota || own > partialShare * quota + doubt) continue;
    if (estimated >= quota - doubt) continue;
    if (sum < quota - doubt || sum > quota + doubt + refilled) continue;
    const first = points.find(
      (other) =>
        other !== second &&
        Math.abs(other.own - own) >= movedShare * quota &&
        other.own + other.others >= quota - doubt,
    );
    if (first !== undefined) return { first, second };
  }
  return null;
}

/** The most that an estimate from two windows makes of an account's own requests: the older count by a falling share. */
const estimateOf = ({ track, windowMs }: Case, before: Observation): number =>
  countedBefore(track, before, 2 * windowMs).reduce(
    (sum, { answeredAt }) => sum + Math.min(1, 2 - (before.sentAt - answeredAt) / windowMs),
    0,
  );

/** An experiment that shows whether two operations share a quota. */
export interface Suspicion {
  account: string;
  /** Uses some of its quota first, alone. */
  first: LimitedOperation;
  amount: number;
  /** Uses its quota up afterwards. */
  second: LimitedOperation;
}

/** Two operations of one account that were both refused too early, when they had used a quota together. */
export function suspectedOf(
  cases: readonly Case[],
  earlyIn: (limitCase: Case) => Observation[],
): Suspicion | null {
  const suspects = cases.flatMap((limitCase) => {
    const early = earlyIn(limitCase);
    const [refused] = early;
    if (refused === undefined || movedIn(limitCase) !== null || !isExplained(limitCase, early)) return [];
    return [{ one: limitCase, own: countedIn(limitCase, [limitCase.track], refused) }];
  });
  for (const { one, own } of suspects.toSorted((some, other) => some.own - other.own)) {
    const other = suspects.find((some) => some.one !== one && some.one.account === one.account);
    if (other === undefined || own > partialShare * one.quota) continue;
    const quota = Math.min(one.quota, other.one.quota);
    // So that the point of refusal moves by a good part of the quota.
    const share = own >= one.quota / 2 ? 0.75 : 0.25;
    return {
      account: one.account,
      first: other.one.operation,
      amount: Math.round(share * quota),
      second: one.operation,
    };
  }
  return null;
}
