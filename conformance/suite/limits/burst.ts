import type { LimitedOperation } from "../../../generated/contract.ts";
import { answeredAt } from "../../judge/answered-at.ts";
import type { Answer } from "../../judge/answer.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import type { Account } from "../../server/account.ts";
import { requireReach, type Profile } from "../../server/profile.ts";
import { useUp, type Asking } from "../../limits/course.ts";
import { observationOf, offsetOf, type Observation } from "../../limits/observation.ts";

/** Maximum duration of a burst on most servers, in seconds. A window with less time left is allowed to end first. */
const burstSeconds = 5;

/** Tolerance for rounding between the reset times of one window, in seconds. */
const resetsApart = 2;

/** Requests that together show whether a limiter refills gradually. */
const permitsAsked = 12;

/**
 * One request of an operation that costs nothing and succeeds; returns a 429 without waiting.
 * @param at another address of the server
 * @throws Unverifiable when no known tool can be named in it
 */
export function freeRequest(account: Account, operation: LimitedOperation, at?: string): Promise<Answer> {
  const { tools } = account.profile;
  const known = tools.included ?? tools.charged ?? Object.values(tools)[0];
  if (known === undefined && operation !== "discover") {
    throw new Unverifiable("no tool is given, nor found", "tools: {included: TOOL_ID}");
  }
  const { id, parameters = {} } = known ?? { id: "" };
  const ask = { impatient: true, ...(at !== undefined && { at }) };
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

/** The addresses of a server, which share its counts. */
export const addressesOf = ({ base_url: first, also = [] }: Profile): readonly string[] => [first, ...also];

/** An operation of an account as the judge of limits asks it, at each address in turn, with every answer it got. */
export function askedOf(account: Account, operation: LimitedOperation) {
  const { session, profile } = account;
  const seen: Observation[] = [];
  const answers: Answer[] = [];
  const addresses = addressesOf(profile);
  let turn = 0;
  const send = async (): Promise<Observation> => {
    const answer = await freeRequest(account, operation, addresses[turn++ % addresses.length]);
    const observation = observationOf(answer.exchange, { account: account.label ?? "account", operation })!;
    seen.push(observation);
    answers.push(answer);
    return observation;
  };
  const asking: Asking = {
    quota: profile.limits[operation],
    windowMs: 1000 * profile.limits.window,
    variations: [],
    hasOther: false,
    send,
    async burst(amount, connections) {
      let begun = 0;
      const sent: Observation[] = [];
      const sender = async (): Promise<void> => {
        while (begun < amount) {
          begun += 1;
          sent.push(await send());
        }
      };
      await Promise.all(Array.from({ length: connections }, sender));
      return sent;
    },
    offset: () => offsetOf(seen),
    now: () => session.now(),
    pause: (milliseconds) => session.pause(milliseconds, `a part of a window of ${operation}`),
    together: async (holds) => holds,
    unusedFrom: () => undefined,
    say: () => undefined,
  };
  return { asking, seen, answers };
}

/** A burst within one window: the admitted and the refused requests. */
export interface WindowBurst {
  admitted: Answer[];
  refused: Answer[];
  /** Whether the limiter restores permits one by one, so a request after the burst may be admitted. */
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
async function refills({ quota, windowMs, burst, pause }: Asking): Promise<boolean> {
  await pause(Math.min((2 * windowMs) / quota, windowMs / 4));
  // All together: while they are answered one after another, as many permits may come back.
  const answers = await burst(permitsAsked, permitsAsked);
  return new Set(answers.map(({ status }) => status === 429)).size === 2;
}

/**
 * Exhausts a window of the operation, runs `meanwhile`, and confirms that the window has not ended yet. If it has,
 * waits for a whole window and repeats everything from its start: a burst that spans two windows proves nothing.
 * @param account reserved for this check; a window that an earlier run has used is waited out
 * @throws Unverifiable when a window ends during the repetition too: the server is too slow for its own window
 */
export async function inOneWindow<Seen>(
  account: Account,
  operation: LimitedOperation,
  meanwhile: () => Promise<Seen>,
): Promise<WindowBurst & { seen: Seen }> {
  const { limits } = account.profile;
  const quota = limits[operation];
  let contradictory = false;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (attempt > 0) await untilNextWindow(account, operation);
    let { asking, admitted, refused } = await burstOf(account, operation);
    if (attempt === 0 && wasInUse(admitted, refused, quota)) {
      await untilNextWindow(account, operation);
      ({ asking, admitted, refused } = await burstOf(account, operation));
    }
    const seen = await meanwhile();
    // If two quotas of requests produce no refusal, the window cannot be missed.
    if (refused.length === 0) return { admitted, refused, seen, returnsPermits: false };
    const last = await freeRequest(account, operation);
    if (last.status !== 429) {
      if (await refills(asking)) return { admitted, refused, seen, returnsPermits: true };
      continue;
    }
    const resets = resetsOf([...admitted, ...refused, last]);
    // If the server does not say when a window resets, a burst that admits more than one quota may span two windows.
    // The second burst starts with its window, so any excess it admits is a real excess.
    const inOne =
      resets === null
        ? admitted.length <= quota || attempt > 0
        : Math.max(...resets) - Math.min(...resets) <= limits.window / 2;
    if (inOne)
      return { admitted, refused, seen, returnsPermits: admitted.length > quota && (await refills(asking)) };
    contradictory = goesBack(admitted, [...refused, last]);
  }
  if (contradictory) {
    throw new Unverifiable(
      "the X-RateLimit-Reset of admitted requests and of those refused after them contradict each other",
    );
  }
  throw new Unverifiable(`a window of ${limits.window} seconds ends before its quota can be used up`);
}

/** Waits for a whole window. */
const untilNextWindow = ({ session, profile }: Account, operation: LimitedOperation): Promise<void> =>
  session.untilWindowEnds(1000 * profile.limits.window, `the next window of ${operation}`);

/**
 * Sends well beyond the quota within a window that is long enough.
 * @throws Blocked when the first request is neither admitted nor refused by a limit or a busy server
 * @throws Unverifiable when the server is too busy for so many, or so many are out of reach
 */
async function burstOf(account: Account, operation: LimitedOperation) {
  requireReach(account.profile, operation);
  await untilWindowIsLong(account, operation);
  const { asking, answers } = askedOf(account, operation);
  const { status, exchange } = await asking.send({});
  if (![200, 429, 503].includes(status))
    throw new Blocked(`${operation} answers ${status}, so its quota cannot be used up`, exchange);
  await useUp(asking);
  const counted = answers.filter((answer) => !mayBeUncounted(answer));
  const admitted = counted.filter((answer) => answer.status !== 429);
  if (counted.length < answers.length && admitted.length < asking.quota)
    throw new Unverifiable(
      `a burst of ${operation} is more than the server takes before its quota is used up`,
    );
  return { asking, admitted, refused: counted.filter((answer) => answer.status === 429) };
}

/** Whether too few were admitted and the first answer does not show that it opened its window. */
const wasInUse = (admitted: readonly Answer[], refused: readonly Answer[], quota: number): boolean =>
  refused.length > 0 &&
  admitted.length < quota &&
  admitted[0]?.headers["x-ratelimit-remaining"] !== String(quota - 1);

/** Whether a refusal gives an earlier end of its window than an admitted request did. */
function goesBack(admitted: readonly Answer[], refused: readonly Answer[]): boolean {
  const [before, after] = [resetsOf(admitted), resetsOf(refused)];
  return before !== null && after !== null && Math.min(...after) < Math.max(...before) - resetsApart;
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
 * Whether an answer may be that of a server too busy to count the request, or of a gateway in front of it: it says
 * nothing about a quota, and is not a failed Call.
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
  // "Rate-limit response headers": not on which responses. That none has them fails where a quota is used up.
  if (value === undefined) throw new Unverifiable(`the server's answers do not carry ${name}`);
  return Number(value);
}
