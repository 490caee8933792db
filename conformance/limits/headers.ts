import { responseHeaders } from "../../generated/contract.ts";
import { countBelow, countUpTo } from "../judge/count-up-to.ts";
import { condition } from "../judge/fact.ts";
import { inHeader, inSeconds, quotaClause, timeOf, type Case, type LimitFault } from "./case.ts";
import { isFixed } from "./kind.ts";
import { saysFromNow, saysMilliseconds, waitSeconds, type Observation } from "./observation.ts";
import { isAdmitted, isRefused, precedes, resolutionMs, rising, roundsOf, type Track } from "./times.ts";

/** The title of a Retry-After that is 0 although there is something to wait for. */
export const retryZero = "Retry-After is 0 although a request is refused later";

/** A quota other than the declared one. */
export function anotherQuota({ track, quota, operation }: Case): LimitFault | null {
  const shown = track.filter(({ limit }) => limit !== null && limit !== quota);
  const since = shown[0];
  const before = track.findLast(
    (observation) => observation.limit === quota && since !== undefined && precedes(observation, since),
  );
  const isChanged =
    before !== undefined &&
    track.every((observation) => observation.limit !== quota || !precedes(since!, observation));
  return faultOf(shown, ({ limit }) => ({
    name: "another-quota",
    clauses: ["LIMI-13", quotaClause[operation]],
    title: "X-RateLimit-Limit is not the quota of its operation",
    fact: condition(
      String(quota),
      `${limit}${isChanged ? ` from ${timeOf(since!.answeredAt)} on, and ${quota} before: changed while it is in use?` : ""}`,
      inHeader(responseHeaders.rateLimitLimit),
    ),
  }));
}

/** Reset and Retry-After in another form or unit. */
export function forms(limitCase: Case): (LimitFault | null)[] {
  const { track, windowMs } = limitCase;
  const refused = track.filter(({ status }) => status === 429);
  const isDate = (text: string | null): boolean =>
    text !== null && /[a-z]/i.test(text) && !Number.isNaN(Date.parse(text));
  const beyond = refused.filter((other) => 1000 * (waitSeconds(other) ?? 0) > windowMs + 2 * resolutionMs);
  const [first] = beyond;
  const unit = first === undefined ? null : unitOf(first, limitCase);
  return [
    faultOf(track.filter(saysMilliseconds), ({ exchange }) => ({
      name: "reset-in-milliseconds",
      clauses: ["LIMI-15"],
      insteadOf: "LIMI-15",
      title: "X-RateLimit-Reset is in milliseconds",
      fact: condition(
        "epoch seconds",
        exchange.response!.headers[responseHeaders.rateLimitReset.toLowerCase()]!,
        inHeader(responseHeaders.rateLimitReset),
      ),
    })),
    faultOf(track.filter(saysFromNow), ({ exchange }) => ({
      name: "reset-in-seconds-from-now",
      clauses: ["LIMI-15"],
      insteadOf: "LIMI-15",
      title: "X-RateLimit-Reset is a number of seconds from now",
      fact: condition(
        "epoch seconds",
        exchange.response!.headers[responseHeaders.rateLimitReset.toLowerCase()]!,
        inHeader(responseHeaders.rateLimitReset),
      ),
    })),
    faultOf(
      refused.filter(({ retryAfter }) => retryAfter === null),
      () => ({
        name: "retry-after-missing",
        clauses: ["ERRO-04"],
        insteadOf: "ERRO-04",
        title: "a 429 has no Retry-After",
        fact: condition("Retry-After on every 429", "none", inHeader(responseHeaders.retryAfter)),
      }),
    ),
    faultOf(
      refused.filter(({ retryAfter }) => isDate(retryAfter)),
      ({ retryAfter }) => ({
        name: "retry-after-date",
        clauses: ["LIMI-16"],
        insteadOf: "LIMI-16",
        title: "Retry-After of a 429 is a date",
        fact: condition("an integer of seconds", retryAfter!, inHeader(responseHeaders.retryAfter)),
      }),
    ),
    faultOf(beyond, ({ retryAfter }) =>
      unit === null
        ? {
            name: "retry-after-too-long",
            clauses: ["LIMI-20"],
            insteadOf: "LIMI-20",
            title: "Retry-After asks to wait for more than a window",
            fact: condition(
              `at most ${inSeconds(windowMs)}`,
              `${retryAfter} s`,
              inHeader(responseHeaders.retryAfter),
            ),
          }
        : {
            name: `retry-after-${unit === "milliseconds" ? "in-milliseconds" : "epoch"}`,
            clauses: ["LIMI-16"],
            insteadOf: "LIMI-20",
            title: `Retry-After is ${unit === "milliseconds" ? "in milliseconds" : "a time"}`,
            fact: condition(
              "seconds to wait",
              `${retryAfter}, which as ${unit} is when requests are admitted again`,
              inHeader(responseHeaders.retryAfter),
            ),
          },
    ),
  ];
}

/** The unit of a Retry-After of more than a window, if not seconds. */
function unitOf(refused: Observation, { track, offset }: Case): "milliseconds" | "epoch seconds" | null {
  const wait = waitSeconds(refused)!;
  if (Math.abs(1000 * wait - refused.answeredAt - offset.ms) < 86_400_000) return "epoch seconds";
  const again = track.find((other) => isAdmitted(other) && precedes(refused, other));
  return again !== undefined &&
    wait >= 1000 &&
    Math.abs(wait - (again.answeredAt - refused.answeredAt)) <= 2000
    ? "milliseconds"
    : null;
}

/** A header that no answer of the run has. */
export function neverShown(tracks: readonly Track[]): LimitFault[] {
  const all = tracks.flat();
  const { rateLimitLimit, rateLimitRemaining, rateLimitReset } = responseHeaders;
  const missing = [rateLimitLimit, rateLimitRemaining, rateLimitReset].filter((name) =>
    all.every(({ exchange }) => exchange.response?.headers[name.toLowerCase()] === undefined),
  );
  // They may be on refusals only.
  if (missing.length === 0 || !all.some(isRefused)) return [];
  return [
    {
      name: "headers-never-shown",
      clauses: ["LIMI-21"],
      insteadOf: "LIMI-21",
      // The contract names the headers, and leaves open which answers have them.
      verdict: "fail",
      title: "a rate-limit header of the contract is on no answer",
      fact: condition(missing.join(", "), `none on ${all.length} answers`, { kind: "header" }),
      shown: all.slice(-1),
    },
  ];
}

/** Remaining counts each admitted request once, down to 0. */
export function remaining(limitCase: Case): (LimitFault | null)[] {
  const { track, kind, quota, windowMs, offset } = limitCase;
  const [first] = roundsOf(track);
  const admitted = (first?.admitted ?? []).filter(
    ({ remaining: left, reset, limit, answeredAt }) =>
      left !== null &&
      limit !== null &&
      // From the second before Reset on, a window may have ended, and Remaining may rise.
      (reset === null || answeredAt + offset.ms + offset.doubtMs < 1000 * (reset - 1)),
  );
  const [opening] = admitted;
  if (opening === undefined) return [foreign(limitCase)];
  const mayBeFixed = isFixed(kind.kind) || kind.kind === "unknown";
  const sameWindow = admitted.filter(
    ({ reset }) => reset === null || Math.abs(reset - (opening.reset ?? reset)) <= 1 || !mayBeFixed,
  );
  const refilled = (until: Observation): number =>
    isFixed(kind.kind) ? 0 : Math.ceil((quota * (until.answeredAt - opening.sentAt)) / windowMs);
  const counted = (other: Observation): number =>
    sameWindow.filter((before) => before === other || precedes(before, other)).length;
  const due = (until: Observation): number => Math.max(0, until.limit! - counted(until) + refilled(until));
  const uncounted = (until: Observation): number => until.remaining! - due(until);
  const shown = sameWindow
    .filter((other) => uncounted(other) > 0)
    .toSorted((other, next) => uncounted(next) - uncounted(other));
  const values = new Set(sameWindow.map(({ remaining: left }) => left));
  const lagging = sameWindow.length - values.size - Math.ceil(refilled(sameWindow.at(-1)!));
  if (shown.length === 0)
    return [
      foreign(limitCase),
      lagging > 0
        ? {
            name: "remaining-lags",
            clauses: ["LIMI-18"],
            verdict: "warn",
            title: "X-RateLimit-Remaining of requests at the same time is the same, although each is counted",
            fact: condition(
              `${sameWindow.length} values on as many answers`,
              `${values.size}`,
              inHeader(responseHeaders.rateLimitRemaining),
            ),
            count: lagging,
            shown: sameWindow.slice(-1),
          }
        : null,
    ];
  const [worst] = shown as [Observation];
  const name =
    values.size === 1 && sameWindow.length > 2
      ? "remaining-stuck"
      : opening.remaining! >= opening.limit!
        ? "remaining-not-used-up"
        : "counter-loses-requests";
  const titles = {
    "remaining-stuck": "X-RateLimit-Remaining does not fall",
    "remaining-not-used-up": "X-RateLimit-Remaining says one more than is left",
    "counter-loses-requests": "X-RateLimit-Remaining does not count every request",
  };
  return [
    foreign(limitCase),
    {
      name,
      clauses: name === "counter-loses-requests" ? ["LIMI-10", "LIMI-18"] : ["LIMI-18"],
      title: titles[name],
      fact: condition(
        `at most ${due(worst)} left of ${worst.limit} after ${counted(worst)} admitted`,
        String(worst.remaining),
        inHeader(responseHeaders.rateLimitRemaining),
      ),
      count: shown.length,
      shown,
    },
  ];
}

/** Whether requests were counted that the account has not sent. */
function foreign({ track, windowMs }: Case): LimitFault | null {
  const [sent, answered] = [rising(track, "sentAt"), rising(track, "answeredAt")];
  const sentBefore = ({ sentAt, answeredAt }: Observation): number =>
    // A weighted counter keeps two windows, and any kind may count refusals.
    countUpTo(sent, answeredAt) - countBelow(answered, sentAt - 2 * windowMs - resolutionMs);
  const shown = track.filter(
    (observation) =>
      isAdmitted(observation) &&
      observation.limit !== null &&
      observation.remaining !== null &&
      observation.limit - observation.remaining > sentBefore(observation),
  );
  return faultOf(shown, (observation) => ({
    name: "counts-what-was-not-sent",
    clauses: ["LIMI-08", "LIMI-09"],
    title: "more requests are counted than this account has sent to this operation",
    fact: condition(
      `${sentBefore(observation)} counted`,
      `${observation.limit! - observation.remaining!} counted`,
      inHeader(responseHeaders.rateLimitRemaining),
    ),
  }));
}

/** A fault that some answers show, described by the first; null if there are none. */
export function faultOf(
  shown: readonly Observation[],
  describe: (first: Observation) => Omit<LimitFault, "shown" | "count">,
): LimitFault | null {
  const [first] = shown;
  return first === undefined ? null : { ...describe(first), count: shown.length, shown };
}
