import type { ClauseId } from "../../../generated/clauses.ts";
import { limitedOperations, type OperationId } from "../../../generated/contract.ts";
import { witnessesOf } from "../../judge/answered-at.ts";
import { condition, type Fact } from "../../judge/fact.ts";
import { holds, onStatus, rule, type Judgement, type Rule } from "../../judge/rule.ts";
import type { Seen } from "../../judge/seen.ts";

/** Tolerance for two roundings, in seconds. */
export const slack = 2;
/** Tolerance for clock skew between client and server, in seconds, when the server does not state its time. */
const clocksApart = 120;
/** A reset further ahead than this is not in epoch seconds, or its window is not a minute. */
const farthest = 3600;

const limited: readonly OperationId[] = limitedOperations;
const isLimited = (seen: Seen): boolean => limited.includes(seen.operation!);
const isWhole = (text: string): boolean => /^\d+$/.test(text);
/** Whether a number can be epoch seconds of our time at all, rather than milliseconds or seconds from now. */
const isEpochSeconds = (text: string): boolean => /^\d{10}$/.test(text);

/** The times at which an answer may have been given, in epoch seconds, each with its tolerance in seconds. */
export const answeredWithin = (
  answer: Pick<Seen, "headers" | "exchange">,
): { answered: number; off: number }[] =>
  witnessesOf(answer).map(({ seconds, isStated }) => ({
    answered: seconds,
    off: isStated ? slack : clocksApart,
  }));

/** A rule about one rate-limit header, when an answer of the four operations has it. */
const header = (
  clause: ClauseId,
  name: string,
  title: string,
  judge: (value: string, seen: Seen) => Judgement,
): Rule => {
  const lower = name.toLowerCase();
  return rule(clause, title, (seen) => {
    const value = isLimited(seen) ? seen.headers[lower] : undefined;
    return value === undefined ? null : judge(value, seen);
  });
};

/** What a rule about a header is about. */
const of = (name: string): Partial<Fact> => ({ kind: "header", place: name });

const names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"].map(
  (name) => [name, name.toLowerCase()] as const,
);

const allThree = (seen: Seen): Judgement => {
  if (names.every(([, name]) => seen.headers[name] !== undefined)) return true;
  const missing = names.filter(([, name]) => seen.headers[name] === undefined).map(([name]) => name);
  return condition(`headers ${missing.join(", ")}`, undefined, { kind: "header", place: missing[0]! });
};

/** The rules for the rate-limit headers of a single answer. */
export const rules: Rule[] = [
  header("LIMI-13", "X-RateLimit-Limit", "X-RateLimit-Limit is a positive integer", (value) =>
    holds(
      isWhole(value) && Number(value) > 0,
      "X-RateLimit-Limit: a positive integer",
      value,
      of("X-RateLimit-Limit"),
    ),
  ),
  header(
    "LIMI-14",
    "X-RateLimit-Remaining",
    "X-RateLimit-Remaining is from 0 to the limit",
    (value, seen) => {
      const given = seen.headers["x-ratelimit-limit"] ?? "";
      const limit = isWhole(given) ? Number(given) : Infinity;
      if (isWhole(value) && Number(value) <= limit) return true;
      const wanted = `X-RateLimit-Remaining: an integer from 0 to ${limit}`;
      return holds(false, wanted, value, of("X-RateLimit-Remaining"));
    },
  ),
  header("LIMI-15", "X-RateLimit-Reset", "X-RateLimit-Reset is epoch seconds, and near", (value, seen) => {
    // A request counts on arrival: the window of a slow one may have ended by the time of its answer.
    const begun = (answered: number): number => Math.floor(answered - seen.exchange.duration_ms / 1000);
    const witnesses = witnessesOf(seen);
    const isNear = witnesses.some(({ seconds, isStated }) => {
      // Where the server does not state its time, a recorder's clock may be wrong by many minutes.
      const off = isStated ? slack : farthest;
      return Number(value) >= begun(seconds) - off && Number(value) <= seconds + farthest;
    });
    if (isWhole(value) && isNear) return true;
    const wanted = `X-RateLimit-Reset: epoch seconds, not before ${begun(witnesses[0]!.seconds)} and within an hour`;
    return holds(false, wanted, value, of("X-RateLimit-Reset"));
  }),
  ...[
    rule("LIMI-16", "Retry-After of a 429 is whole seconds", (seen) => {
      const value = seen.headers["retry-after"];
      if (seen.status !== 429 || seen.operation === null || value === undefined) return null;
      return holds(isWhole(value), "Retry-After: an integer of seconds", value, of("Retry-After"));
    }),
    header("LIMI-17", "X-RateLimit-Remaining", "X-RateLimit-Remaining of a 429 is 0", (value, seen) =>
      seen.status === 429
        ? holds(value === "0", "X-RateLimit-Remaining: 0 on a 429", value, of("X-RateLimit-Remaining"))
        : null,
    ),
    header(
      "LIMI-20",
      "X-RateLimit-Reset",
      "Retry-After ends no later than X-RateLimit-Reset",
      (value, seen) => {
        const retry = seen.headers["retry-after"];
        if (seen.status !== 429 || retry === undefined || !isWhole(retry) || !isEpochSeconds(value))
          return null;
        const witnesses = answeredWithin(seen);
        const took = seen.exchange.duration_ms / 1000;
        const [{ answered, off }] = witnesses as [(typeof witnesses)[0]];
        return holds(
          witnesses.some((witness) => witness.answered + Number(retry) - Number(value) <= witness.off + took),
          `X-RateLimit-Reset at the end of Retry-After or later, give or take ${off} seconds (${Math.round(answered + Number(retry))})`,
          value,
          of("X-RateLimit-Reset"),
        );
      },
    ),
  ].map((rule) => onStatus([429], rule)),
  {
    ...rule("LIMI-21", "answers of the four operations carry the rate-limit headers", (seen) =>
      isLimited(seen) && (seen.status === 200 || seen.status === 429) ? allThree(seen) : null,
    ),
    feature: "rate_limits",
  },
];
