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
  /** The search for the end of a window ends after this many seconds. */
  maxSeconds: number;
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
}

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
    };
  }
  const refusedWith = first.refused.status;
  say("waiting to be admitted again");
  const back = await comeBack(search, first.refused);
  if (back === null) return neverBack(first, search.maxSeconds, refusedWith);
  const wholly = await half(search, first);
  if (wholly === null) return refilling(search, first, back, refusedWith);

  // Requests admitted from here on count from `back` on.
  await pause(burstGapShare * (back.seen.answeredAt - first.admitted[0]!.sentAt));
  const rest = await useUp(search);
  const quota = 1 + wholly + rest.admitted.length;
  if (rest.refused === null) return neverBack(first, search.maxSeconds, refusedWith);
  say("waiting for the end of a whole window");
  const again = await comeBack(search, rest.refused);
  if (again === null) return neverBack(first, search.maxSeconds, refusedWith);
  const windowSeconds = spanBetween(back.seen, again);
  const third = 1 + (await useUp(search)).admitted.length;
  return {
    quota,
    windowSeconds,
    refusedWith,
    kind: third < wholeShare * quota ? "sliding" : "fixed",
    restsOn: `${third} of ${quota} came back ${mid(windowSeconds)} s after the first of them`,
  };
}

interface Round {
  admitted: Seen[];
  refused: Seen | null;
}

/** Sends until requests are refused, and then a single one too. */
async function useUp({ burst, maxRequests }: LimitSearch): Promise<Round> {
  const admitted: Seen[] = [];
  for (let amount = firstBurst; admitted.length < maxRequests; amount = Math.min(maxBurst, 2 * amount)) {
    const answers = await burst(amount);
    admitted.push(...answers.filter((one) => one.admitted));
    if (answers.every((one) => one.admitted)) continue;
    const [single] = await burst(1);
    if (!single!.admitted) return { admitted, refused: single! };
    admitted.push(single!);
  }
  return { admitted, refused: null };
}

interface Back {
  seen: Seen;
  /** The last request that was refused before. */
  refused: Seen;
}

/** Asks at growing intervals until a request is admitted; null if that takes too long. */
async function comeBack({ burst, now, pause, maxSeconds }: LimitSearch, refused: Seen): Promise<Back | null> {
  const startedAt = refused.sentAt;
  for (let last = refused; now() - startedAt < 1000 * maxSeconds;) {
    await pause(Math.max(minAskMs, askShare * (now() - startedAt)));
    const [seen] = await burst(1);
    if (seen!.admitted) return { seen: seen!, refused: last };
    last = seen!;
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
    count += answers.filter((one) => one.admitted).length;
  }
  return count >= wholeShare * wanted ? count : null;
}

/** A limit that gives requests back one by one. */
async function refilling(
  { burst, now }: LimitSearch,
  first: Round,
  back: Back,
  refusedWith: number,
): Promise<FoundLimit> {
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
  return {
    quota,
    windowSeconds:
      window === null ? null : { least: window * (1 - 1 / count), most: window * (1 + 1 / count) },
    kind: count === 0 ? "unknown" : "token-bucket",
    restsOn: `${count} requests came back one by one in ${((last.answeredAt - drained.answeredAt) / 1000).toFixed(1)} s`,
    ...(count === 0 ? {} : { perSecond }),
    refusedWith,
  };
}

/** Sends single requests until one is refused. @returns the refusal */
async function drain(burst: LimitSearch["burst"]): Promise<Seen | null> {
  for (let time = 0; time < maxBurst; time += 1) {
    const [seen] = await burst(1);
    if (!seen!.admitted) return seen!;
  }
  return null;
}

const neverBack = ({ admitted }: Round, maxSeconds: number, refusedWith: number): FoundLimit => ({
  quota: admitted.length,
  windowSeconds: null,
  kind: "unknown",
  restsOn: `nothing was admitted again within ${maxSeconds} s; a server that counts refused requests too is never quiet enough`,
  refusedWith,
});

const seconds = ({ admitted }: Round): string =>
  ((admitted.at(-1)!.answeredAt - admitted[0]!.sentAt) / 1000).toFixed(1);

/** The least and the most time from a first request to the moment at which its quota was back. */
const spanBetween = (from: Seen, { seen, refused }: Back): { least: number; most: number } => ({
  least: Math.max(0, (refused.sentAt - from.answeredAt) / 1000),
  most: (seen.answeredAt - from.sentAt) / 1000,
});

const mid = ({ least, most }: { least: number; most: number }): string => ((least + most) / 2).toFixed(1);
