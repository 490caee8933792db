import type { ClauseId } from "../../generated/clauses.ts";
import { quotaClause, shown, type Case } from "./case.ts";
import { saysMilliseconds, type Observation } from "./observation.ts";

/** The fault title for a Retry-After that is 0 although there is something to wait for. */
export const retryZero = "Retry-After is 0 although the window goes on";

/** A quota other than the declared one. */
export function declaredLimit({ track, operation, quota, find }: Case): void {
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

/** A fault in the form of a header: the answers that have it, and their value. */
interface Fault {
  name: string;
  clause: ClauseId;
  title: string;
  expected: string;
  received: (one: Observation) => unknown;
  among: readonly Observation[];
}

/** Faults in the form of the headers, each with a name; the rules see only that something is wrong. */
export function forms({ track, skew, find }: Case): void {
  const refused = track.filter(({ admitted }) => !admitted);
  const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text)) && /[a-z]/i.test(text);
  const goesOn = ({ reset, answeredAt }: Observation): boolean =>
    reset !== null && 1000 * reset > answeredAt + skew.offset + skew.doubt + 1000;
  const faults: Fault[] = [
    {
      name: "reset-in-milliseconds",
      clause: "LIMI-15",
      title: "X-RateLimit-Reset is in milliseconds",
      expected: "epoch seconds",
      received: ({ exchange }) => exchange.response?.headers["x-ratelimit-reset"],
      among: track.filter(saysMilliseconds),
    },
    {
      name: "retry-after-missing",
      clause: "ERRO-04",
      title: "a 429 has no Retry-After",
      expected: "Retry-After on every 429",
      received: () => "none",
      among: refused.filter(({ retryAfter }) => retryAfter === null),
    },
    {
      name: "retry-after-date",
      clause: "LIMI-16",
      title: "Retry-After of a 429 is a date",
      expected: "an integer of seconds",
      received: ({ retryAfter }) => retryAfter,
      among: refused.filter(({ retryAfter }) => retryAfter !== null && isDate(retryAfter)),
    },
    {
      name: "retry-after-zero",
      clause: "LIMI-19",
      title: retryZero,
      expected: "a positive integer of seconds",
      received: ({ retryAfter }) => retryAfter,
      among: refused.filter((one) => /^0+$/.test(one.retryAfter ?? "") && goesOn(one)),
    },
  ];
  for (const { clause, among, received, ...fault } of faults.filter((one) => one.among.length > 0))
    find({
      ...fault,
      clauses: [clause],
      received: String(received(among[0]!)),
      count: among.length,
      exchanges: shown(among),
    });
}
