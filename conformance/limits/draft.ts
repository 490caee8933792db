import { condition } from "../judge/fact.ts";
import type { Case, LimitFault } from "./case.ts";
import { faultOf } from "./headers.ts";
import type { Observation } from "./observation.ts";
import { resolutionMs } from "./times.ts";

/** What the headers `RateLimit` and `RateLimit-Policy` of the IETF's draft say of one policy; null for what they leave out. */
interface Said {
  limit: number | null;
  remaining: number | null;
  resetSeconds: number | null;
  windowSeconds: number | null;
}

/** Seconds by which two roundings of one time may differ. */
const roundingSeconds = 2;

/** Both forms of the headers, with different numbers: a client cannot know which to believe. */
export function draftDisagrees(limitCase: Case): LimitFault | null {
  const shown = limitCase.track.filter((seen) => disagreements(seen, limitCase).length > 0);
  return faultOf(shown, (seen) => ({
    name: "ratelimit-headers-disagree",
    clauses: [],
    verdict: "warn",
    title: "RateLimit and RateLimit-Policy say something else than the contract's headers",
    fact: condition("the same numbers in both forms", disagreements(seen, limitCase).join(", "), {
      kind: "header",
    }),
  }));
}

/** How an answer contradicts itself; empty if one of its policies says what the contract's headers say. */
function disagreements(seen: Observation, limitCase: Case): string[] {
  const all = policiesOf(seen.exchange.response?.headers ?? {}).map((said) =>
    differences(said, seen, limitCase),
  );
  return all.some((some) => some.length === 0) ? [] : (all[0] ?? []);
}

function differences(
  said: Said,
  { limit, remaining, reset, answeredAt }: Observation,
  { offset, windowMs }: Case,
) {
  const left = reset === null ? null : reset - (answeredAt + offset.ms) / 1000;
  const doubt = roundingSeconds + Math.min(offset.doubtMs, resolutionMs) / 1000;
  return [
    ...unlike("limit", said.limit, "X-RateLimit-Limit", limit, 0),
    ...unlike("remaining", said.remaining, "X-RateLimit-Remaining", remaining, 0),
    ...unlike("reset in s", said.resetSeconds, "X-RateLimit-Reset in s from now", left, doubt),
    ...unlike("window in s", said.windowSeconds, "the declared window in s", windowMs / 1000, 0),
  ];
}

const unlike = (
  name: string,
  one: number | null,
  otherName: string,
  other: number | null,
  doubt: number,
): string[] =>
  one === null || other === null || Math.abs(one - other) <= doubt
    ? []
    : [`${name} ${one} and ${otherName} ${Math.round(other)}`];

/**
 * The policies of an answer, in the forms of the drafts up to 7 (`limit=120, remaining=3, reset=20` and `120;w=60`) and
 * from 8 on (`"name";r=3;t=20` and `"name";q=120;w=60`).
 */
export function policiesOf(headers: Readonly<Record<string, string>>): Said[] {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  const old = Object.fromEntries(
    [...ratelimit.matchAll(/\b(limit|remaining|reset)\s*=\s*(\d+)/g)].map(([, name, value]) => [
      name!,
      Number(value),
    ]),
  );
  const quotas = policy.split(",").filter(Boolean).map(partsOf);
  const states =
    ratelimit.includes("=") && Object.keys(old).length === 0 ? ratelimit.split(",").map(partsOf) : [];
  if (Object.keys(old).length > 0 || states.length === 0) {
    const { limit, remaining, reset } = old;
    const given = { limit: limit ?? null, remaining: remaining ?? null, resetSeconds: reset ?? null };
    if (quotas.length === 0)
      return limit === undefined && remaining === undefined ? [] : [{ ...given, windowSeconds: null }];
    return quotas.map(({ name, q, w }) => ({
      ...given,
      limit: given.limit ?? q ?? numberOf(name),
      windowSeconds: w ?? null,
    }));
  }
  return states.map(({ name, r, t }) => {
    const quota = quotas.find((quota) => quota.name === name);
    return {
      limit: quota?.q ?? null,
      remaining: r ?? null,
      resetSeconds: t ?? null,
      windowSeconds: quota?.w ?? null,
    };
  });
}

/** An item of a list with its parameters, as `"name";q=120;w=60`. */
function partsOf(item: string): { name: string; q?: number; w?: number; r?: number; t?: number } {
  const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
  const pairs = parameters.flatMap((parameter) => {
    const [, key, value] = /^([qwrt])\s*=\s*(\d+)$/.exec(parameter) ?? [];
    return key === undefined ? [] : [[key, Number(value)] as const];
  });
  return { name: name.replaceAll('"', ""), ...Object.fromEntries(pairs) };
}

const numberOf = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null);
