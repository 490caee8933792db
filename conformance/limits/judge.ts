import { limitedOperations } from "../../generated/contract.ts";
import { condition, expectedWords, receivedWords, type Fact } from "../judge/fact.ts";
import type { Case, Declared, LimitFault, LimitFinding } from "./case.ts";
import {
  admitsTooMany,
  anotherStatus,
  earlyIn,
  neverRefuses,
  refusesTooEarly,
  withStandIns,
} from "./counts.ts";
import { draftDisagrees } from "./draft.ts";
import { factsOf, type RateLimitFacts } from "./facts.ts";
import { anotherQuota, forms, neverShown, remaining } from "./headers.ts";
import { kindOf, type KindSeen } from "./kind.ts";
import { isLawful } from "./limiters.ts";
import { offsetOf, type Observation, type Offset } from "./observation.ts";
import { followsFromSharing, suspectedOf, type Suspicion } from "./shared.ts";
import { countsApart } from "./sharing.ts";
import type { Track } from "./times.ts";
import { reset, retryAfter } from "./waits.ts";

/** What a run shows of a server's limits. */
export interface JudgedLimits {
  /** One for each operation, of the account that used up most. */
  facts: RateLimitFacts[];
  findings: LimitFinding[];
  offset: Offset;
  /** What would show whether two operations share a quota; null if nothing suggests it, or it is shown. */
  suspicion: Suspicion | null;
}

/**
 * Judges a server's limits from the times and headers of its answers, without sending requests. First come the facts
 * about time, then the verdicts on the counts, then what the headers say of them.
 * @param observations every answer to some accounts on the limited operations, from a time when none of them had used
 *   any of its quota
 */
export function judgeLimits(observations: readonly Observation[], declared: Declared): JudgedLimits {
  const tracks = tracksOf(observations);
  const offset = offsetOf(observations);
  const windowMs = 1000 * declared.windowSeconds;
  const cases = tracks.map((track): Case => {
    const { operation, account } = track[0]!;
    const others = tracks.filter((other) => other !== track);
    const limiter = { quota: declared.quotas[operation], windowMs };
    const kind = kindOf(track, limiter, offset);
    return { operation, account, track, others, kind, offset, ...limiter };
  });
  const byOperation = Map.groupBy(cases, ({ operation }) => operation);
  const faults = withoutEffects(
    [...byOperation].map(([of, ofOperation]) => ({ of, found: faultsOf(ofOperation) })),
    byOperation,
  );
  const isShared = faults.some(({ found }) => found.some(({ name }) => name === "operations-share-a-quota"));
  return {
    facts: limitedOperations.flatMap((operation) => {
      const ofOperation = byOperation.get(operation) ?? [];
      const most = ofOperation.toSorted((one, other) => other.track.length - one.track.length)[0];
      if (most === undefined) return [];
      const facts = factsOf(isShared ? { ...most, kind: kindOfShared } : most);
      return [isLawful(most.track, most) ? withoutDoubt(facts) : facts];
    }),
    findings: [...merged(faults), ...neverShown(tracks).map((fault) => findingOf(fault))],
    offset,
    suspicion: suspectedOf(cases, earlyIn),
  };
}

/** Requests that may belong to the window before or after. */
const atEdge = 1;

/** Where the declared limit explains what was seen, a request more or less at the edge of a window is no other quota. */
const withoutDoubt = (facts: RateLimitFacts): RateLimitFacts => {
  const { declared, measured_quota: measured } = facts;
  const isNear = declared !== null && measured !== null && Math.abs(measured - declared.quota) <= atEdge;
  return isNear ? { ...facts, measured_quota: declared.quota } : facts;
};

/** The observations of each account on each operation, in the order in which they were sent. */
function tracksOf(observations: readonly Observation[]): Track[] {
  const tracks = Map.groupBy(observations, ({ account, operation }) => `${operation} ${account}`);
  return [...tracks.values()].map((track) =>
    withStandIns(track.toSorted((one, other) => one.sentAt - other.sentAt)),
  );
}

/** Faults of headers that follow from a wrong count or window; reported only where these are right. */
const follows = [
  "remaining-not-used-up",
  "counter-loses-requests",
  "remaining-lags",
  "counts-what-was-not-sent",
  "reset-drifts",
  "reset-too-late",
  "reset-beyond-window",
  "retry-after-too-long",
];

/** The same for too many counts and too long windows: none of several counts keeps what another promises. */
const followsExcess = ["retry-after-too-short", "retry-after-rounded-down", "reset-too-early"];

/** Others use up a shared quota, which breaks whatever an operation promises. */
const shares = ["operations-share-a-quota", "accounts-share-a-quota"];
const followsSharing = [...follows, ...followsExcess];

/** What one operation admits of a quota depends on when the others ask. */
const kindOfShared: KindSeen = { kind: "unknown", restsOn: "other operations use up the same quota" };

function withoutEffects(
  faults: readonly { of: string; found: LimitFault[] }[],
  byOperation: ReadonlyMap<string, readonly Case[]>,
): typeof faults {
  const shared = shares.find((name) =>
    faults.some(({ found }) => found.some((fault) => fault.name === name)),
  );
  if (shared === undefined) return faults;
  return faults.map(({ of, found }) => {
    const isEarlyToo = byOperation
      .get(of)!
      .every((limitCase) => followsFromSharing(limitCase, earlyIn(limitCase), shared));
    const effects = [...followsSharing, ...(isEarlyToo ? ["refuses-too-early"] : [])];
    return { of, found: found.filter(({ name }) => !effects.includes(name)) };
  });
}

/** The faults of an operation's tracks. A cause is reported once. */
function faultsOf(cases: readonly Case[]): LimitFault[] {
  const counts = cases.flatMap((limitCase) => [
    anotherStatus(limitCase),
    neverRefuses(limitCase),
    refusesTooEarly(limitCase),
    admitsTooMany(limitCase),
    ...countsApart(limitCase),
  ]);
  const limits = cases.map(anotherQuota);
  const found = new Set([...counts, ...limits].map((fault) => fault?.name));
  found.delete("refuses-with-another-status");
  const ends = !found.has("window-never-ends");
  const headers = cases.flatMap((limitCase) => [
    ...forms(limitCase),
    ...remaining(limitCase),
    draftDisagrees(limitCase),
    ...(ends ? [retryAfter(limitCase), ...reset(limitCase)] : []),
  ]);
  const said = new Set(headers.map((fault) => fault?.name));
  const hidden = new Set([
    ...(found.size > 1 || !found.has(undefined) ? follows : []),
    ...(found.has("admits-too-many") || found.has("window-too-long") ? followsExcess : []),
    ...(said.has("reset-too-late") ? ["reset-drifts"] : []),
    ...(said.has("reset-too-late") || said.has("reset-drifts") ? ["reset-beyond-window"] : []),
  ]);
  // Where plain requests have several counts, one of them may admit a varied request while another refuses.
  const isEffect = ({ name }: LimitFault): boolean =>
    (found.has("admits-too-many") && /^counts-(keys-)?apart/.test(name)) ||
    (found.has("never-refuses") && name === "admits-too-many");
  return [...counts, ...limits, ...headers.filter((fault) => !hidden.has(fault?.name ?? ""))].filter(
    (fault) => fault !== null && !isEffect(fault),
  ) as LimitFault[];
}

/** Faults by name, each with the operations that have it. */
function merged(faults: readonly { of: string; found: readonly LimitFault[] }[]): LimitFinding[] {
  const byName = Map.groupBy(
    faults.flatMap(({ of, found }) => found.map((fault) => ({ of, fault }))),
    ({ fault }) => fault.name,
  );
  return [...byName.values()].map((all) => {
    const finding = findingOf(...all.map(({ fault }) => fault));
    const joined = (words: (fact: Fact) => string): string => {
      const texts = new Map(all.map(({ of, fault }) => [of, words(fault.fact)]));
      const alike = Map.groupBy(texts, ([, text]) => text);
      return [...alike].map(([text, ones]) => `${ones.map(([of]) => of).join(", ")}: ${text}`).join("; ");
    };
    const { kind, place } = finding.fact;
    return { ...finding, fact: condition(joined(expectedWords), joined(receivedWords), { kind, place }) };
  });
}

function findingOf(...faults: readonly LimitFault[]): LimitFinding {
  const { name, title, fact, verdict, insteadOf } = faults[0]!;
  // Each operation shows the fault at least once.
  const shown = [[0, 1] as const, [1, 3] as const].flatMap(([from, to]) =>
    faults.flatMap((fault) => fault.shown.slice(from, to)),
  );
  return {
    name,
    title,
    fact,
    ...(verdict === undefined ? {} : { verdict }),
    ...(insteadOf === undefined ? {} : { insteadOf }),
    clauses: [...new Set(faults.flatMap(({ clauses }) => clauses))].sort(),
    count: faults.reduce((sum, { count = 1 }) => sum + count, 0),
    exchanges: shown.slice(0, Math.max(3, faults.length)).map(({ exchange }) => exchange),
  };
}
