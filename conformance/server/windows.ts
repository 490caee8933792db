import type { LimitedOperation } from "../../generated/contract.ts";
import { answeredAt } from "../judge/answered-at.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Account } from "./account.ts";
import type { Answer } from "../judge/answer.ts";

const concurrentRequests = 24;
/** Requests sent beyond the quota, to detect a quota that is slightly too large. */
const requestsBeyondQuota = 8;
/** Refusals after which a burst ends: the quota is used up, even if a permit is given back now and then. */
const enoughRefusals = 2 * concurrentRequests;
/** Maximum duration of a burst on most servers, in seconds. A window with less time left is allowed to end first. */
const burstSeconds = 5;

/** Tolerance for rounding between the reset times of one window, in seconds. */
const resetsApart = 2;

/**
 * One request of an operation that costs nothing and succeeds; returns a 429 without waiting.
 * @throws Unverifiable when no known tool can be named in it
 */
export function freeRequest(account: Account, operation: LimitedOperation): Promise<Answer> {
  const { tools } = account.profile;
  const known = tools.included ?? tools.charged ?? Object.values(tools)[0];
  if (known === undefined && operation !== "discover") {
    throw new Unverifiable("no tool is given, nor found", "tools: {included: TOOL_ID}");
  }
  const { id, parameters = {} } = known ?? { id: "" };
  const ask = { impatient: true };
  switch (operation) {
    case "discover":
      return account.discover({ query: "data", limit: 1 }, ask);
    case "inspect":
      return account.inspect([id], ask);
    case "probe":
      return account.probe(id, { parameters, checks: ["schema"] }, ask);
    case "call":
      return account.call({ id, parameters }, {}, ask);
  }
}

/** A burst that exhausted a window: the admitted and the refused requests. */
export interface UsedUp {
  admitted: Answer[];
  refused: Answer[];
}

/** A burst within one window. */
export interface WindowBurst extends UsedUp {
  /** Whether the limiter restores permits one by one, so that a request after the burst may be admitted. */
  returnsPermits: boolean;
}

/**
 * Permits, as a fraction, that a limiter with gradual refill, such as a token bucket, restores between the first
 * request and the last answer. A limiter with fixed windows restores none before the window ends.
 */
export function permitsReturned(quota: number, windowSeconds: number, answers: readonly Answer[]): number {
  const exchanges = answers.map(({ exchange }) => exchange);
  const began = Math.min(...exchanges.map(({ started_at }) => started_at));
  const ended = Math.max(...exchanges.map(({ started_at, duration_ms }) => started_at + duration_ms));
  return ((ended - began) / 1000) * (quota / windowSeconds);
}

/**
 * Whether an exhausted limiter refills gradually: shortly afterwards it admits some requests and refuses others, unlike
 * a window that has ended.
 */
export async function returnsPermits(account: Account, operation: LimitedOperation): Promise<boolean> {
  const { limits } = account.profile;
  const seconds = Math.min((2 * limits.window) / limits[operation], limits.window / 4);
  await account.session.pause(1000 * seconds, `a permit of ${operation}`);
  // Together, since while one after another is answered as many permits may come back.
  const answers = await Promise.all(Array.from({ length: 12 }, () => freeRequest(account, operation)));
  return new Set(answers.map(({ status }) => status === 429)).size === 2;
}

/**
 * Exhausts a window of the operation, runs `meanwhile`, and confirms that the window has not ended yet. If it has,
 * waits for a whole window and repeats everything from its start: a burst that spans two windows proves nothing.
 * @param account reserved for this check; what an earlier run used of its window is waited for
 * @throws Unverifiable when a window ends during the repetition too: the server is too slow for its own window
 */
export async function inOneWindow<Seen>(
  account: Account,
  operation: LimitedOperation,
  meanwhile: () => Promise<Seen>,
): Promise<WindowBurst & { seen: Seen }> {
  const { limits } = account.profile;
  let contradictory = false;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (attempt > 0) await untilNextWindow(account, operation);
    const burst = await (attempt > 0 ? useUp(account, operation) : useUpWhole(account, operation));
    const seen = await meanwhile();
    // If two quotas of requests produce no refusal, the window cannot be missed.
    if (burst.refused.length === 0) return { ...burst, seen, returnsPermits: false };
    const last = await freeRequest(account, operation);
    if (last.status !== 429) {
      if (await returnsPermits(account, operation)) return { ...burst, seen, returnsPermits: true };
      continue;
    }
    const resets = resetsOf([...burst.admitted, ...burst.refused, last]);
    // If the server does not say when a window resets, a burst that admits more than one quota may span two windows.
    // The second burst starts with its window, so any excess it admits is a real excess.
    const inOne =
      resets === null
        ? burst.admitted.length <= limits[operation] || attempt > 0
        : Math.max(...resets) - Math.min(...resets) <= limits.window / 2;
    if (inOne) {
      const extra = burst.admitted.length > limits[operation];
      return { ...burst, seen, returnsPermits: extra && (await returnsPermits(account, operation)) };
    }
    contradictory = goesBack(burst, [...burst.refused, last]);
  }
  if (contradictory) {
    throw new Unverifiable(
      "the X-RateLimit-Reset of admitted requests and of those refused after them contradict each other",
    );
  }
  throw new Unverifiable(`a window of ${limits.window} seconds ends before its quota can be used up`);
}

/** Exhausts a window from its start; if the current one is partly used, waits for the next. */
async function useUpWhole(account: Account, operation: LimitedOperation): Promise<UsedUp> {
  const { limits } = account.profile;
  await untilWindowIsLong(account, operation);
  const burst = await useUp(account, operation);
  if (!wasInUse(burst, limits[operation])) return burst;
  await untilNextWindow(account, operation);
  await untilWindowIsLong(account, operation);
  return useUp(account, operation);
}

/** Waits for a whole window. */
const untilNextWindow = ({ session, profile }: Account, operation: LimitedOperation): Promise<void> =>
  session.untilWindowEnds(1000 * profile.limits.window, `the next window of ${operation}`);

/** Whether too few were admitted and the first answer does not show that it opened its window. */
function wasInUse({ admitted, refused }: UsedUp, quota: number): boolean {
  const [first] = admitted;
  return (
    refused.length > 0 &&
    admitted.length < quota &&
    first?.headers["x-ratelimit-remaining"] !== String(quota - 1)
  );
}

/** Whether a refusal gives an earlier end of its window than an admitted request did. */
function goesBack({ admitted }: UsedUp, refused: readonly Answer[]): boolean {
  const [told, then] = [resetsOf(admitted), resetsOf(refused)];
  return told !== null && then !== null && Math.min(...then) < Math.max(...told) - resetsApart;
}

/** The operation sent once before the burst of another operation. */
export const operationBefore = (operation: LimitedOperation): LimitedOperation =>
  operation === "discover" ? "inspect" : "discover";

/**
 * Waits for a window that is about to end, as announced by another operation with its own quota: all windows may end
 * together. Nothing is concluded from it; at worst it is a short pause.
 */
async function untilWindowIsLong(account: Account, operation: LimitedOperation): Promise<void> {
  const other = await (operationBefore(operation) === "inspect"
    ? account.inspect(["unknown"], { impatient: true })
    : freeRequest(account, "discover"));
  const left = Number(other.headers["x-ratelimit-reset"] ?? NaN) - answeredAt(other).seconds;
  if (left >= 0 && left < Math.min(burstSeconds, account.profile.limits.window / 2)) {
    await account.session.untilWindowEnds(1000 * (left + 1), `the window of ${operation} to end`);
  }
}

/**
 * Sends well beyond the quota, and twice as much if nothing has been refused by then. A window that is found used up is
 * not sent a whole quota.
 * @throws Blocked when the first request is neither admitted nor refused by a limit or a busy server
 * @throws Unverifiable when the server is too busy for so many
 */
export async function useUp(account: Account, operation: LimitedOperation): Promise<UsedUp> {
  const quota = account.profile.limits[operation];
  const burst: UsedUp = { admitted: [], refused: [] };
  let sent = 0;
  let uncounted = 0;
  const send = async (): Promise<Answer> => {
    sent += 1;
    const answer = await freeRequest(account, operation);
    if (mayBeUncounted(answer)) uncounted += 1;
    else (answer.status === 429 ? burst.refused : burst.admitted).push(answer);
    return answer;
  };
  const first = await send();
  if (![200, 429, 503].includes(first.status)) {
    throw new Blocked(
      `${operation} answers ${first.status}, so that its quota cannot be used up`,
      first.exchange,
    );
  }
  const work = async (): Promise<void> => {
    while (
      burst.refused.length < enoughRefusals &&
      (sent < quota + requestsBeyondQuota ||
        (burst.refused.length === 0 && sent < 2 * quota + requestsBeyondQuota))
    ) {
      await send();
    }
  };
  await Promise.all(Array.from({ length: concurrentRequests }, work));
  if (uncounted > 0 && burst.admitted.length < quota) {
    throw new Unverifiable(
      `a burst of ${operation} is more than the server takes before its quota is used up`,
    );
  }
  return burst;
}

/**
 * Whether an answer may be that of a server too busy to count the request, or of a gateway in front of it: it tells
 * nothing of a quota, and is no Call that failed.
 */
const mayBeUncounted = (answer: Answer): boolean =>
  answer.status >= 500 &&
  answer.headers["x-ratelimit-remaining"] === undefined &&
  !answer.at("success").present;

/** The `X-RateLimit-Reset` of each answer, in epoch seconds; null when one of them lacks it. */
export function resetsOf(answers: readonly Answer[]): number[] | null {
  const resets = answers.map((answer) => Number(answer.headers["x-ratelimit-reset"] ?? "none"));
  return resets.every(Number.isFinite) ? resets : null;
}

/** A rate-limit header as a number. @throws Unverifiable when the answer omits it, as it may */
export function limitHeader(answer: Answer, name: string): number {
  const value = answer.headers[name.toLowerCase()];
  if (value === undefined) throw new Unverifiable(`the server's answers do not carry ${name}`);
  return Number(value);
}
