/** One answer of a limited operation, in epoch milliseconds. */
export interface Seen {
  sentAt: number;
  answeredAt: number;
  admitted: boolean;
  status: number;
}

/** How an operation is asked. */
export interface LimitSearch {
  /** Sends some requests at the same time; their answers in the order in which they were sent. */
  burst: (amount: number) => Promise<readonly Seen[]>;
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
  say: (text: string) => void;
  /** The search for a quota ends after this many admitted requests. */
  maxRequests: number;
  /**
   * The window that is likely, in seconds. It is asked about without a pause for a little longer; a longer one, or
   * refusals that prolong, are recognised by longer and longer pauses, and the search ends within five such windows.
   */
  likelySeconds: number;
  /** Requests that were admitted shortly before the search, and may count. */
  before?: number;
}

/** The limit as the times of the answers show it. */
export interface FoundLimit {
  /** Null if nothing was refused. */
  quota: number | null;
  /** The length of a window lies between these; null if it was not seen to end. */
  windowSeconds: { least: number; most: number } | null;
  /** `fixed`: whole quotas come back, whether windows are aligned or begin with a first request. */
  kind: "fixed" | "sliding" | "token-bucket" | "unknown" | "none";
  restsOn: string;
  /** Requests that a bucket gives back each second. */
  perSecond?: number;
  refusedWith: number | null;
  /** What makes the figures unsure; none if each was seen twice. */
  doubts: string[];
}

/** Shares of the likely window: how long it is asked about, and the pauses without a request after that. */
const askedShare = 1.2;
const pauseShares = [0.3, 0.6, 1.2];
/** Two figures of one thing may differ by this share, or by so many requests. */
const sameShare = 0.05;
const sameRequests = 2;
/** The longest pause after which a refill is looked at a second time, in milliseconds. */
const maxSecondLookMs = 20_000;

/** Requests of the first bursts; later ones are larger. */
const firstBurst = 8;
const maxBurst = 256;
/** A later round that admits at least this share of the quota is a whole one. */
const wholeShare = 0.9;
/** The share of a window between its two bursts. */
const burstGapShare = 0.4;
/** Pauses between requests that ask whether a window has ended: a share of the time waited so far, and at least this. */
const askShare = 0.01;
const minAskMs = 50;
/** Time in milliseconds, and requests, over which a refill is measured. */
const refillMs = 10_000;
const refillRequests = 20;

/**
 * Finds an undeclared limit, from the times at which requests are admitted and refused. It uses the quota up, asks
 * until it comes back, uses it up in two separate bursts, and asks again. It ignores the content of the answers.
 */
export async function findLimit(search: LimitSearch): Promise<FoundLimit> {
  const { say, pause } = search;
  say("using the quota up");
  const first = await useUp(search);
  if (first.refused === null) {
    return {
      quota: null,
      windowSeconds: null,
      kind: "none",
      restsOn: `${first.admitted.length} requests in ${seconds(first)} s, none refused`,
      refusedWith: null,
      doubts: [],
    };
  }
  const refusedWith = first.refused.status;
  const before = search.before ?? 0;
  say("waiting to be admitted again");
  // What was used before comes back first, one by one where windows slide.
  const back = await comeBack(search, first.refused, before);
  if (back === null || back.pausedMs > 0) return notSoon(first, search, back, refusedWith);
  const wholly = await half(search, first);
  if (wholly === null) return refilling(search, first, back, refusedWith);

  // Requests admitted from here on count from `back` on.
  await pause(burstGapShare * (back.seen.answeredAt - first.admitted[0]!.sentAt));
  const rest = await useUp(search);
  const second = back.count + wholly + rest.admitted.length;
  if (rest.refused === null) return notSoon(first, search, null, refusedWith);
  say("waiting for the end of a whole window");
  const again = await comeBack(search, rest.refused);
  if (again === null || again.pausedMs > 0) return notSoon(first, search, again, refusedWith);
  const windowSeconds = spanBetween(back.seen, again);
  const last = await useUp(search);
  const third = 1 + last.admitted.length;
  const isFixed = third >= wholeShare * second;
  const firstQuota = first.admitted.length + before;
  // What came back first still counts in a window that slides.
  const quota = isFixed || before === 0 ? second : Math.max(second, firstQuota);
  return {
    quota,
    windowSeconds,
    refusedWith,
    kind: isFixed ? "fixed" : "sliding",
    restsOn: `${third} of ${quota} came back ${mid(windowSeconds)} s after the first of them`,
    doubts: [
      ...([firstQuota, first.admitted.length, ...(isFixed ? [third] : [])].some((candidate) =>
        areSame(quota, candidate),
      )
        ? []
        : [`${firstQuota} were admitted at first, then ${second}, then ${third}`]),
      ...([first, rest, last].some(({ isInTurn }) => isInTurn)
        ? ["requests were admitted after others had been refused: several counts, by process or address?"]
        : []),
    ],
  };
}

const areSame = (one: number, other: number): boolean =>
  Math.abs(one - other) <= Math.max(sameRequests, sameShare * Math.max(one, other));

interface Round {
  admitted: Seen[];
  refused: Seen | null;
  /** Whether requests were admitted after one that was sent and refused before them, again and again. */
  isInTurn: boolean;
}

/** So many requests admitted after a refusal are more than a refill within a burst. */
const inTurnRequests = 5;

/** Sends until requests are refused, and then a single one too. */
async function useUp({ burst, maxRequests }: LimitSearch): Promise<Round> {
  const admitted: Seen[] = [];
  const refusals: Seen[] = [];
  const round = (refused: Seen | null): Round => {
    const after = admitted.filter((observation) =>
      refusals.some((other) => other.answeredAt <= observation.sentAt),
    );
    return { admitted, refused, isInTurn: after.length >= inTurnRequests };
  };
  for (let amount = firstBurst; admitted.length < maxRequests; amount = Math.min(maxBurst, 2 * amount)) {
    const answers = await burst(amount);
    admitted.push(...answers.filter((answer) => answer.admitted));
    refusals.push(...answers.filter((answer) => !answer.admitted));
    if (answers.every((answer) => answer.admitted)) continue;
    const [single] = await burst(1);
    if (!single!.admitted) return round(single!);
    admitted.push(single!);
  }
  return round(null);
}

interface Back {
  seen: Seen;
  /** The last request that was refused before. */
  refused: Seen;
  /** Requests admitted since, this one included. */
  count: number;
  /** The pause without a request before it, if it was not admitted while it was asked about; else 0. */
  pausedMs: number;
}

/**
 * Asks at growing intervals until a request is admitted, and then after longer and longer pauses.
 * @param others requests that come back before the first of this search
 * @returns null if none is
 */
async function comeBack(
  { burst, now, pause, likelySeconds }: LimitSearch,
  refused: Seen,
  others = 0,
): Promise<Back | null> {
  const startedAt = refused.sentAt;
  let [last, passed] = [refused, 0];
  let run: Seen[] = [];
  const ask = async (pauseMs: number): Promise<boolean> => {
    await pause(pauseMs);
    const [seen] = await burst(1);
    if (!seen!.admitted) {
      last = seen!;
      run = [];
      return false;
    }
    run.push(seen!);
    passed += 1;
    return passed > others;
  };
  const back = (pausedMs: number): Back => ({ seen: run[0]!, refused: last, count: run.length, pausedMs });
  while (now() - startedAt < 1000 * askedShare * likelySeconds)
    if (await ask(Math.max(minAskMs, askShare * (now() - startedAt)))) return back(0);
  if (run.length > 0) return back(0);
  for (const share of pauseShares) {
    const pausedMs = 1000 * share * likelySeconds;
    if (await ask(pausedMs)) return back(pausedMs);
    if (run.length > 0) return back(pausedMs);
  }
  return null;
}

/**
 * Sends half of a quota, and the refused rest again later: a sliding window returns a quota as slowly as it was used.
 * @returns the number admitted; null if fewer were
 */
async function half({ burst, pause }: LimitSearch, { admitted }: Round): Promise<number | null> {
  const wanted = Math.ceil(admitted.length / 2) - 1;
  let count = 0;
  for (let time = 0; time < 2 && count < wanted; time += 1) {
    if (time > 0) await pause(1.2 * (admitted.at(-1)!.answeredAt - admitted[0]!.sentAt) + minAskMs);
    const answers = wanted - count > 0 ? await burst(wanted - count) : [];
    count += answers.filter((answer) => answer.admitted).length;
  }
  return count >= wholeShare * wanted ? count : null;
}

/** A limit that gives requests back one by one. */
async function refilling(
  search: LimitSearch,
  first: Round,
  back: Back,
  refusedWith: number,
): Promise<FoundLimit> {
  const { burst, now } = search;
  const drained = (await drain(burst)) ?? back.seen;
  let count = 0;
  let last = drained;
  while (now() - drained.answeredAt < refillMs && count < refillRequests) {
    const [seen] = await burst(1);
    if (!seen!.admitted) continue;
    count += 1;
    last = seen!;
  }
  const perSecond = (1000 * count) / Math.max(1, last.answeredAt - drained.answeredAt);
  const burstSeconds = (first.admitted.at(-1)!.answeredAt - first.admitted[0]!.sentAt) / 1000;
  const quota = Math.max(1, Math.round(first.admitted.length - perSecond * burstSeconds));
  const window = count === 0 ? null : quota / perSecond;
  const doubt = count === 0 ? "nothing came back" : await secondLook(search, perSecond, quota);
  return {
    quota,
    windowSeconds:
      window === null ? null : { least: window * (1 - 1 / count), most: window * (1 + 1 / count) },
    kind: doubt === null ? "token-bucket" : "unknown",
    doubts: doubt === null ? [] : [doubt],
    restsOn: `${count} requests came back one by one in ${((last.answeredAt - drained.answeredAt) / 1000).toFixed(1)} s`,
    ...(doubt === null && { perSecond }),
    refusedWith,
  };
}

/** Whether a pause gives back what a refill would: null if so, else what came back instead. */
async function secondLook(search: LimitSearch, perSecond: number, quota: number): Promise<string | null> {
  const pauseMs = Math.min(maxSecondLookMs, (500 * quota) / perSecond);
  const from = (await drain(search.burst))?.answeredAt ?? search.now();
  await search.pause(pauseMs);
  const { admitted } = await useUp(search);
  const due = (perSecond * ((admitted.at(-1)?.answeredAt ?? search.now()) - from)) / 1000;
  return Math.abs(admitted.length - due) <= 3 + 0.2 * due
    ? null
    : `${admitted.length} came back after a pause of ${(pauseMs / 1000).toFixed(1)} s, not ${due.toFixed(0)}: no even refill; several counts, or a window that slides?`;
}

/** Sends single requests until one is refused. @returns the refusal */
async function drain(burst: LimitSearch["burst"]): Promise<Seen | null> {
  for (let time = 0; time < maxBurst; time += 1) {
    const [seen] = await burst(1);
    if (!seen!.admitted) return seen!;
  }
  return null;
}

/** A quota that did not come back while it was asked for. */
function notSoon(
  { admitted }: Round,
  { likelySeconds }: LimitSearch,
  back: Back | null,
  refusedWith: number,
): FoundLimit {
  const asked = (askedShare * likelySeconds).toFixed(0);
  const restsOn =
    back === null
      ? `nothing was admitted again for ${(likelySeconds * (askedShare + pauseShares.reduce((sum, share) => sum + share))).toFixed(0)} s; a profile names a longer window: limits: {window: SECONDS}`
      : `nothing was admitted again for ${asked} s of asking, but after a pause of ${(back.pausedMs / 1000).toFixed(0)} s: refusals prolong the window, or it is longer`;
  return {
    quota: admitted.length,
    windowSeconds: null,
    kind: "unknown",
    restsOn,
    refusedWith,
    doubts: [back === null ? "its window was not seen to end" : "do refusals prolong the window?"],
  };
}

const seconds = ({ admitted }: Round): string =>
  ((admitted.at(-1)!.answeredAt - admitted[0]!.sentAt) / 1000).toFixed(1);

/** The least and the most time from a first request to the moment at which its quota was back. */
const spanBetween = (from: Seen, { seen, refused }: Back): { least: number; most: number } => ({
  least: Math.max(0, (refused.sentAt - from.answeredAt) / 1000),
  most: (seen.answeredAt - from.sentAt) / 1000,
});

const mid = ({ least, most }: { least: number; most: number }): string => ((least + most) / 2).toFixed(1);
