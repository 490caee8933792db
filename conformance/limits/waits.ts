import { responseHeaders } from "../../generated/contract.ts";
import { countUpTo } from "../judge/count-up-to.ts";
import { condition } from "../judge/fact.ts";
import { inHeader, inSeconds, type Case, type LimitFault } from "./case.ts";
import { faultOf, retryZero } from "./headers.ts";
import { isFixed } from "./kind.ts";
import { waitSeconds, type Observation } from "./observation.ts";
import {
  edgeMs,
  isAdmitted,
  isRefused,
  mayCount,
  precedes,
  resolutionMs,
  rising,
  roundsOf,
  type Track,
} from "./times.ts";

/** A request after refusals, when nothing was counted in between. */
interface Return {
  /** Refusals answered before it was sent, the last first. */
  after: Observation[];
  request: Observation;
}

/** The requests of a track that follow a refusal, with the refusals whose promises nothing has changed. */
function returnsOf(track: Track): Return[] {
  const refused = track.filter((observation) => isRefused(observation) && observation.varied === null);
  const counted = track.filter(mayCount);
  const [refusedAt, countedAt] = [rising(refused, "sentAt"), rising(counted, "sentAt")];
  const latest = latestAnswers(counted);
  return track.flatMap((request) => {
    if (request.outcome === "unclear" || request.varied !== null) return [];
    const [last, other] = latest[countUpTo(countedAt, request.answeredAt)]!;
    const quietFrom = (last === request ? other : last)?.answeredAt ?? -Infinity;
    const after = refused
      .slice(countUpTo(refusedAt, quietFrom), countUpTo(refusedAt, request.sentAt))
      .filter((observation) => precedes(observation, request));
    return after.length > 0 ? [{ after: after.reverse(), request }] : [];
  });
}

/** For each number of requests, the two of the first so many that were answered last. */
function latestAnswers(track: Track): [last?: Observation, other?: Observation][] {
  const latest: [last?: Observation, other?: Observation][] = [[]];
  for (const observation of track) {
    const [last, other] = latest.at(-1)!;
    const isAfter = (known?: Observation): boolean =>
      known === undefined || observation.answeredAt > known.answeredAt;
    latest.push(isAfter(last) ? [observation, last] : isAfter(other) ? [last, observation] : [last, other]);
  }
  return latest;
}

/** Waits of a Retry-After that a request outlasted or found over sooner, and those of them after which it was admitted. */
export function waitsOf(track: Track): { asked: number; kept: number } {
  const asked = returnsOf(track).filter(({ after, request }) =>
    after.some(
      (observation) =>
        waitSeconds(observation) !== null && (isAdmitted(request) || lateMs(observation, request) >= edgeMs),
    ),
  );
  return { asked: asked.length, kept: asked.filter(({ request }) => isAdmitted(request)).length };
}

/** How long after a refusal's Retry-After a request was sent; less than 0 if before. */
function lateMs(refused: Observation, { sentAt }: Observation): number {
  const wait = waitSeconds(refused);
  return wait === null ? -Infinity : sentAt - refused.answeredAt - 1000 * wait;
}

/** Requests refused although the Retry-After of an earlier refusal had passed. */
export function retryAfter({ track }: Case): LimitFault | null {
  const late = returnsOf(track).flatMap(({ after, request }) => {
    const ms = Math.max(...after.map((observation) => lateMs(observation, request)));
    const zero = after.some((observation) => waitSeconds(observation) === 0);
    return isRefused(request) && ms >= edgeMs ? [{ request, ms, zero }] : [];
  });
  const surely = late
    .filter(({ ms }) => ms >= resolutionMs)
    .sort((one, other) => Number(other.zero) - Number(one.zero));
  const [first] = surely;
  const shown = (first === undefined ? late : surely).map(({ request }) => request);
  if (first === undefined)
    return faultOf(shown, () => ({
      name: "retry-after-rounded-down",
      clauses: ["LIMI-19"],
      verdict: "warn",
      title: "Retry-After is rounded down: a request exactly then is refused, a second later it is not",
      fact: condition("Retry-After rounded up", "429", inHeader(responseHeaders.retryAfter)),
    }));
  return faultOf(shown, () => ({
    name: first.zero ? "retry-after-zero" : "retry-after-too-short",
    clauses: ["LIMI-19"],
    title: first.zero ? retryZero : "a request after Retry-After seconds is refused",
    fact: condition(
      first.zero ? "a positive integer of seconds" : "a request after Retry-After seconds is admitted",
      `429 ${inSeconds(Math.max(...surely.map(({ ms }) => ms)))} after Retry-After had passed`,
      inHeader(responseHeaders.retryAfter),
    ),
  }));
}

/** Reset compared with when service came back. */
export function reset(limitCase: Case): (LimitFault | null)[] {
  const { track, offset, windowMs, kind } = limitCase;
  const returns = returnsOf(track);
  /** Milliseconds from a Reset to a time, at least; the clocks may differ by so much. */
  const past = ({ reset: end }: Observation, at: number): number =>
    at + offset.ms - offset.doubtMs - 1000 * end!;
  const tooEarly = returns.flatMap(({ after, request }) => {
    const ms = Math.max(
      ...after.filter(({ reset: end }) => end !== null).map((refused) => past(refused, request.sentAt)),
    );
    return isRefused(request) && ms >= resolutionMs ? [{ request, ms }] : [];
  });
  const wholeAgain = isFixed(kind.kind)
    ? new Set(
        roundsOf(track)
          .slice(1)
          .map(({ admitted }) => admitted[0]),
      )
    : new Set();
  const ahead = ({ reset: end }: Observation, at: number): number =>
    1000 * end! - at - offset.ms - offset.doubtMs;
  const tooLate = returns.flatMap(({ after, request }) => {
    const ms = Math.min(
      ...after.map((refused) => (refused.reset === null ? 0 : ahead(refused, request.answeredAt))),
    );
    return wholeAgain.has(request) && ms > resolutionMs ? [{ request, ms }] : [];
  });
  const beyond = track.filter(
    (seen) => seen.reset !== null && ahead(seen, seen.answeredAt) > windowMs + 2 * resolutionMs + edgeMs,
  );
  return [
    faultOf(
      tooEarly.map(({ request }) => request),
      () => ({
        name: "reset-too-early",
        clauses: ["LIMI-15"],
        insteadOf: "LIMI-15",
        title: "a request after X-RateLimit-Reset is refused",
        fact: condition(
          "X-RateLimit-Reset: when the window resets",
          `429 ${inSeconds(Math.max(...tooEarly.map(({ ms }) => ms)))} after it`,
          inHeader(responseHeaders.rateLimitReset),
        ),
      }),
    ),
    faultOf(
      tooLate.map(({ request }) => request),
      () => ({
        name: "reset-too-late",
        clauses: ["LIMI-15"],
        title: "a whole quota comes back before X-RateLimit-Reset",
        fact: condition(
          "X-RateLimit-Reset: when the window resets",
          `admitted ${inSeconds(Math.max(...tooLate.map(({ ms }) => ms)))} before it`,
          inHeader(responseHeaders.rateLimitReset),
        ),
      }),
    ),
    faultOf(beyond, (seen) => ({
      name: "reset-beyond-window",
      clauses: ["LIMI-15"],
      title: "X-RateLimit-Reset is more than a window ahead",
      fact: condition(
        `at most ${inSeconds(windowMs)} ahead`,
        `${inSeconds(ahead(seen, seen.answeredAt))} ahead`,
        inHeader(responseHeaders.rateLimitReset),
      ),
    })),
    drifts(limitCase),
  ];
}

/** A Reset that is replaced by another, more than a second away, before it has passed. */
function drifts({ track, kind, offset }: Case): LimitFault | null {
  const said = track.filter(
    ({ reset: end, outcome, varied }) => end !== null && outcome !== "unclear" && varied === null,
  );
  const open = (observation: Observation, at: number): boolean =>
    at + offset.ms + offset.doubtMs + edgeMs < 1000 * (observation.reset! - 2);
  const moved = said.filter((later, index) => {
    const earlier = said.slice(0, index).findLast((observation) => precedes(observation, later));
    if (earlier === undefined || Math.abs(later.reset! - earlier.reset!) <= 1) return false;
    if (!open(earlier, later.answeredAt)) return false;
    if (isRefused(earlier) && isRefused(later))
      return !track.some(
        (observation) =>
          mayCount(observation) &&
          observation.answeredAt >= earlier.sentAt &&
          observation.sentAt <= later.answeredAt,
      );
    // Where windows do not slide, one Reset holds until it has passed.
    return isFixed(kind.kind);
  });
  return faultOf(moved, (first) => {
    const values = [
      ...new Set(
        said.filter((observation) => open(first, observation.answeredAt)).map(({ reset: end }) => end!),
      ),
    ].sort();
    const few = values.length === 2 && moved.length > 2;
    return {
      name: "reset-drifts",
      clauses: ["LIMI-15"],
      title: "X-RateLimit-Reset moves before it has passed",
      fact: condition(
        "the same X-RateLimit-Reset, to a second, until the window ends",
        few
          ? `${values[0]} and ${values[1]} by turns: two clocks, ${values[1]! - values[0]!} s apart, or two counts?`
          : `${first.reset} before an earlier one had passed`,
        inHeader(responseHeaders.rateLimitReset),
      ),
    };
  });
}
