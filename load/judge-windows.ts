import type { ClauseId } from "../generated/clauses.ts";
import type { Limited } from "../conformance/target/windows.ts";
import type { Found } from "./judgement.ts";
import { saysMilliseconds, skewOf, type Observation, type Skew } from "./observation.ts";
import { recognise, tracksOf, within, type Track, type WindowKind } from "./window-kind.ts";

/** What the windows of a run were to be. */
export interface Declared {
  quotas: Readonly<Record<Limited, number>>;
  windowSeconds: number;
}

export interface JudgedWindows {
  kind: WindowKind;
  skew: Skew;
  findings: Found[];
}

const quotaClause: Readonly<Record<Limited, ClauseId>> = {
  discover: "LIMI-01",
  inspect: "LIMI-02",
  probe: "LIMI-03",
  call: "LIMI-04",
};

/** Milliseconds by which a server may be early or late at the end of a window. */
const edge = 50;

const keysApart = "each key of an account has a quota of its own";

interface Case extends Declared {
  track: Track;
  /** The tracks of the other accounts on the same operation. */
  others: readonly Track[];
  kind: WindowKind;
  skew: Skew;
  operation: Limited;
  quota: number;
  /** Milliseconds. */
  length: number;
  find: (found: Found) => void;
}

/**
 * Judges what the answers of a run say about its windows, without a request of its own.
 * @param observations every answer that the accounts of the run got to the four operations: what is missing here and
 *   counted by the server would look like a fault
 */
export function judgeWindows(observations: readonly Observation[], declared: Declared): JudgedWindows {
  const tracks = tracksOf(observations);
  const skew = skewOf(observations);
  const findings: Found[] = [];
  const find = (found: Found): void => void findings.push(found);
  const kind = recognise(tracks, declared.windowSeconds, skew);
  for (const track of tracks) {
    const { operation } = track[0]!;
    const quota = declared.quotas[operation];
    const length = 1000 * declared.windowSeconds;
    const others = tracks.filter((other) => other !== track && other[0]!.operation === operation);
    const one: Case = { ...declared, others, track, kind, skew, operation, quota, length, find };
    declaredLimit(one);
    forms(one);
    const drifts = drifting(one) || overlapping(one);
    const sound = drifts ? { ...one, kind: "unknown" as const } : one;
    tooMany(sound);
    tooEarly(sound);
    remaining(sound);
    promises(sound);
  }
  return { kind, skew, findings };
}

const shown = (observations: readonly Observation[]) =>
  observations.slice(0, 3).map(({ exchange }) => exchange);

function declaredLimit({ track, operation, quota, find }: Case): void {
  const other = track.filter(({ limit }) => limit !== null && limit !== quota);
  if (other.length === 0) return;
  find({
    name: "another-quota",
    clauses: ["LIMI-13", quotaClause[operation]],
    title: `X-RateLimit-Limit of ${operation} is not its quota`,
    expected: String(quota),
    received: String(other[0]!.limit),
    count: other.length,
    exchanges: shown(other),
  });
}

/** Faults of the headers' form, each by its name; the rules see that something is wrong, not what. */
function forms({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const named = (
    name: string,
    clause: ClauseId,
    title: string,
    expected: string,
    received: (one: Observation) => unknown,
    among: readonly Observation[],
  ): void => {
    if (among.length === 0) return;
    find({
      name,
      clauses: [clause],
      title,
      expected,
      received: String(received(among[0]!)),
      count: among.length,
      exchanges: shown(among),
    });
  };
  named(
    "reset-in-milliseconds",
    "LIMI-15",
    "X-RateLimit-Reset is in milliseconds",
    "epoch seconds",
    ({ exchange }) => exchange.response?.headers["x-ratelimit-reset"],
    track.filter(saysMilliseconds),
  );
  named(
    "retry-after-missing",
    "ERRO-04",
    "a 429 has no Retry-After",
    "Retry-After on every 429",
    () => "none",
    refused.filter(({ retryAfter }) => retryAfter === null),
  );
  named(
    "retry-after-date",
    "LIMI-16",
    "Retry-After of a 429 is a date",
    "an integer of seconds",
    ({ retryAfter }) => retryAfter,
    refused.filter(
      ({ retryAfter }) =>
        retryAfter !== null && !Number.isNaN(Date.parse(retryAfter)) && /[a-z]/i.test(retryAfter),
    ),
  );
  named(
    "retry-after-zero",
    "LIMI-19",
    "Retry-After is 0 although the window goes on",
    "a positive integer of seconds",
    ({ retryAfter }) => retryAfter,
    refused.filter(
      ({ retryAfter, reset, answeredAt }) =>
        retryAfter !== null &&
        /^0+$/.test(retryAfter) &&
        reset !== null &&
        1000 * reset > answeredAt + skew.offset + skew.doubt + 1000,
    ),
  );
}

/** A Reset that moves although nothing was admitted and it has not passed. Answers whether it does. */
function drifting({ track, skew, find }: Case): boolean {
  const refused = track.filter(({ admitted, reset }) => !admitted && reset !== null);
  const moved: Observation[] = [];
  for (const [index, later] of refused.entries()) {
    const earlier = refused.slice(0, index).findLast(({ answeredAt }) => answeredAt <= later.sentAt);
    if (earlier === undefined || earlier.reset === later.reset) continue;
    const passed = later.answeredAt + skew.offset + skew.doubt + edge >= 1000 * earlier.reset!;
    const between = track.some(
      ({ admitted, sentAt, answeredAt }) =>
        admitted && answeredAt >= earlier.sentAt && sentAt <= later.answeredAt,
    );
    if (!passed && !between) moved.push(later);
  }
  if (moved.length === 0) return false;
  find({
    name: "reset-drifts",
    clauses: ["LIMI-15"],
    title: driftTitle,
    expected: "the same X-RateLimit-Reset until the window ends",
    received: `another one while nothing was admitted: ${moved[0]!.reset}`,
    count: moved.length,
    exchanges: shown(moved),
  });
  return true;
}

/**
 * Windows of one account that begin before the last one has ended, which fixed windows never do: each key has its own,
 * or their end moves. Answers whether it moves.
 */
function overlapping({ track, kind, skew, length, find }: Case): boolean {
  if (!isFixed(kind)) return false;
  const overlapOf = (some: Track): Observation | undefined => {
    let end = -Infinity;
    let reset = -Infinity;
    for (const one of some.filter(({ admitted }) => admitted)) {
      if (one.reset === null || one.reset <= reset) continue;
      if (one.answeredAt + skew.offset + skew.doubt + edge < end) return one;
      reset = one.reset;
      // Reset is rounded up: the window ends in the second before it, and no sooner than a length after it began.
      const began = one.sentAt + skew.offset - skew.doubt;
      end = kind === "aligned" ? 1000 * reset : Math.max(1000 * (reset - 1), began + length - edge);
    }
    return undefined;
  };
  const first = overlapOf(track);
  if (first === undefined) return false;
  const keys = [...Map.groupBy(track, ({ key }) => key).values()];
  const apart = keys.length > 1 && keys.every((ofKey) => overlapOf(ofKey) === undefined);
  find({
    name: apart ? "counts-keys-apart" : "reset-drifts",
    clauses: apart ? ["LIMI-07"] : ["LIMI-15"],
    title: apart ? keysApart : driftTitle,
    expected: "one window of an account at a time",
    received: `X-RateLimit-Reset ${first.reset} before the window before it had ended`,
    exchanges: [first.exchange],
  });
  return !apart;
}

const driftTitle = "X-RateLimit-Reset moves within one window";

/** The answers by the Reset that they carry: the windows of a server whose windows are fixed. */
const windowsOf = (track: Track): Observation[][] => [
  ...Map.groupBy(
    track.filter(({ reset }) => reset !== null),
    ({ reset }) => reset,
  ).values(),
];

const isFixed = (kind: WindowKind): boolean => kind !== "sliding" && kind !== "unknown";

function tooMany({ track, kind, quota, length, operation, find }: Case): void {
  const admitted = track.filter((one) => one.admitted);
  let most: readonly Observation[] = [];
  if (isFixed(kind)) {
    for (const window of windowsOf(admitted)) if (window.length > most.length) most = window;
  } else {
    // All that was surely admitted within one length. Of windows that are not known, two may meet in it.
    for (const from of admitted) {
      const span = admitted.filter(
        ({ sentAt, answeredAt }) => sentAt >= from.sentAt && answeredAt < from.sentAt + length,
      );
      if (span.length > most.length) most = span;
    }
  }
  const allowed = kind === "unknown" ? 2 * quota : quota;
  if (most.length <= allowed) return;
  const apart = areCountedApart(most);
  find({
    name: apart ? "counts-keys-apart" : "admits-too-many",
    clauses: apart ? ["LIMI-07"] : [quotaClause[operation], "LIMI-10"],
    title: apart ? keysApart : `${operation} admits more than its quota in a window`,
    expected: `at most ${quota} admitted in one window`,
    received: `${most.length} admitted`,
    count: most.length - quota,
    exchanges: shown(most.slice(quota)),
  });
}

/**
 * Whether each key has a count of its own: what a key's answers say remains is the quota less what that key has sent.
 * Keys that share a count have used up more than that.
 */
function areCountedApart(admitted: readonly Observation[]): boolean {
  const keys = [...Map.groupBy(admitted, ({ key }) => key).values()];
  return (
    keys.length > 1 &&
    keys.every((ofKey) => {
      const least = Math.min(...ofKey.map(({ remaining }) => remaining ?? NaN));
      return ofKey.length > 1 && least === (ofKey[0]!.limit ?? NaN) - ofKey.length;
    })
  );
}

function tooEarly({ track, others, kind, quota, length, operation, skew, find }: Case): void {
  const early = track.filter((one) => {
    if (one.admitted) return false;
    // Who is refused after the end of a window is refused for another reason: see `promises`.
    if (one.reset !== null && 1000 * one.reset <= one.sentAt + skew.offset + edge) return false;
    const seen = within(track, one, length + edge);
    const sameWindow = isFixed(kind) ? seen.filter(({ reset }) => reset === one.reset) : seen;
    return sameWindow.length < quota;
  });
  if (early.length === 0) return;
  const window = within(track, early.at(-1)!, length).length;
  // Another account has used up what this one is refused.
  const elsewhere = others.some((other) => within(other, early[0]!, length).length + window >= quota);
  find({
    name: elsewhere && window < quota / 2 ? "accounts-share-a-quota" : "refuses-too-early",
    clauses: elsewhere && window < quota / 2 ? ["LIMI-08"] : [quotaClause[operation], "LIMI-06"],
    title:
      elsewhere && window < quota / 2
        ? `what one account uses up of ${operation}, another cannot use`
        : `${operation} refuses a request within the quota`,
    expected: `${quota} admitted before the first 429`,
    received: `a 429 after ${window}`,
    count: early.length,
    exchanges: shown(early),
  });
}

/** What Remaining counts: each admitted request once, its own account's alone, down to 0. */
function remaining({ track, kind, quota, length, operation, skew, find }: Case): void {
  for (const window of windowsOf(track)) {
    const admitted = window.filter(
      (one) =>
        one.admitted &&
        one.remaining !== null &&
        // In a window that slides, requests leave from Reset on, and what remains may rise.
        (isFixed(kind) || one.answeredAt + skew.offset + skew.doubt < 1000 * one.reset! - 1000),
    );
    const values = new Set(admitted.map((one) => one.remaining));
    if (admitted.length >= 3 && values.size === 1) {
      find({
        name: "remaining-stuck",
        clauses: ["LIMI-18"],
        title: "X-RateLimit-Remaining does not fall",
        expected: `${admitted.length} values, each one less`,
        received: `${admitted[0]!.remaining} on all ${admitted.length} answers`,
        exchanges: shown(admitted),
      });
      return;
    }
    // Of those admitted beyond the quota each says 0, which is found as what it is.
    const counted = admitted.filter((one) => one.remaining! > 0);
    if (new Set(counted.map((one) => one.remaining)).size < counted.length) {
      const apart = areCountedApart(admitted);
      find({
        name: apart ? "counts-keys-apart" : "counter-loses-requests",
        clauses: apart ? ["LIMI-07"] : ["LIMI-10", "LIMI-18"],
        title: apart ? keysApart : `${operation} counts requests at the same time only once`,
        expected: `${admitted.length} different values of X-RateLimit-Remaining in one window`,
        received: `${values.size}`,
        count: admitted.length - values.size,
        exchanges: shown(
          admitted.filter(
            (one, index) => admitted.findIndex((other) => other.remaining === one.remaining) < index,
          ),
        ),
      });
    }
    const refused = window.some((one) => !one.admitted);
    const least = Math.min(...[...values].map(Number));
    if (isFixed(kind) && refused && admitted.length >= quota && least > 0) {
      find({
        name: "remaining-not-used-up",
        clauses: ["LIMI-18"],
        title: "a request is refused although X-RateLimit-Remaining never came to 0",
        expected: "X-RateLimit-Remaining 0 before the first 429",
        received: `${least}`,
        exchanges: shown(window.filter((one) => !one.admitted)),
      });
    }
  }
  const foreign = track.filter((one) => {
    if (!one.admitted || one.limit === null || one.remaining === null) return false;
    return one.limit - one.remaining > within(track, one, length + edge).length;
  });
  if (foreign.length === 0) return;
  const [first] = foreign;
  find({
    name: "counts-what-was-not-sent",
    clauses: ["LIMI-08", "LIMI-09"],
    title: `${operation} counts more requests than this account has sent to it`,
    expected: `${within(track, first!, length).length} counted`,
    received: `${first!.limit! - first!.remaining!} counted`,
    count: foreign.length,
    exchanges: shown(foreign),
  });
}

/** Whether a refused account is admitted again when it was said, and at all. */
function promises({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const broken = { never: [] as Observation[], early: [] as Observation[], rounded: [] as Observation[] };
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
        broken.early.push(later);
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
