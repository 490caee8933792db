import { openOperations, operations, trialCredits, trialDays } from "../../../generated/contract.ts";
import { answeredAt } from "../../judge/answered-at.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";

export const day = 86_400;
/** Tolerance for a stated end, in seconds: rounding to an hour, or to a day when it is the start or the end of one. */
const roundings = { time: 3600, date: day };
/** A date without a time, or with the first or the last second of the day. */
const atDaysEdge = /^.{10}([T ](00:00(:00(\.0+)?)?|23:59:59(\.9+)?)(Z|[+-][\d:]+)?)?$/;

interface Statement {
  name: string;
  value: unknown;
}

/** Every value of the answer's data with its field name, without the secrets. */
function statements(value: unknown, name = ""): Statement[] {
  if (name === "api_key" || name === "claim_code") return [];
  if (Array.isArray(value)) return value.flatMap((member: unknown) => statements(member, name));
  if (!isFields(value)) return [{ name, value }];
  return Object.entries(value).flatMap(([field, member]) => statements(member, field));
}

const registered = (seen: Seen): Statement[] | null =>
  seen.operation === "registerAnonymous" && seen.status === 200 && isFields(seen.body)
    ? statements(seen.body["data"])
    : null;

/** Neither the field's name nor its type is shown: 50, "50" and "50 credits" are all acceptable. */
const saysCredits = (value: unknown): boolean =>
  Number(value) === trialCredits ||
  (typeof value === "string" && /(?<![\d.])50(\.0+)?(?![\d.]*\d)\s*(trial\s*)?credits?/i.test(value));

/** Seconds until the time in a field, with its tolerance; null when it names none. */
function secondsUntil(value: unknown, now: number): { away: number; rounding: number } | null {
  if (typeof value === "number") {
    const seconds = value > 1e11 ? value / 1000 : value;
    const rounding = seconds % day === 0 ? roundings.date : roundings.time;
    return seconds > 1e9 ? { away: seconds - now, rounding } : null;
  }
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}/.test(value)) return null;
  const moment = Date.parse(value);
  const rounding = atDaysEdge.test(value) ? roundings.date : roundings.time;
  return Number.isNaN(moment) ? null : { away: moment / 1000 - now, rounding };
}

/** The ends of the trial that a registration states. */
const endsStated = (stated: readonly Statement[], now: number) =>
  stated.flatMap(({ name, value }) => {
    // A claim may have its own, different end.
    if (/claim|code/i.test(name) || !/expir|until$|ends?_?at/i.test(name)) return [];
    const end = secondsUntil(value, now);
    return end === null ? [] : [{ name, ...end }];
  });

type Ends = ReturnType<typeof endsStated>;

/** How far a trial's end may be from what it should be, in seconds; `data` is that of its registration. */
export const roundingOfEnd = (data: unknown): number =>
  Math.max(roundings.time, ...endsStated(statements(data), 0).map(({ rounding }) => rounding));

/** The facts that a registration must state, under names of its choice. */
export const rules: readonly Rule[] = about(openOperations, [
  rule("TRIA-04", "a registration states the trial credits, 50", (seen) => {
    const stated = registered(seen);
    if (stated === null) return null;
    return holds(
      stated.some(({ name, value }) => !/page/i.test(name) && saysCredits(value)),
      "data: a field that states 50 trial credits",
      stated.map(({ name }) => name),
    );
  }),
  rule("TRIA-08", "an end of the trial that a registration states is 7 days away", (seen) => {
    // A server's Date may stand still, and the judge's clock be wrong: either excuses it.
    const { started_at: startedAt, duration_ms: durationMs } = seen.exchange;
    const clocks = [answeredAt(seen).seconds, (startedAt + durationMs) / 1000];
    const [ends, byJudge] = clocks.map((now) => endsStated(registered(seen) ?? [], now)) as [Ends, Ends];
    if (ends.length === 0) return null;
    return holds(
      [...ends, ...byJudge].some(({ away, rounding }) => Math.abs(away - trialDays * day) <= rounding),
      `data: an end ${trialDays} days from now`,
      ends.map(({ name, away }) => `${name} in ${(away / day).toFixed(2)} days`).join(", "),
    );
  }),
  rule(
    "TRIA-11",
    "a rate-limited registration or claim is the error object, with status_code 429",
    (seen) => {
      if (seen.status !== 429 || seen.operation === null || operations[seen.operation].needsCredential)
        return null;
      const { status, status_code: code, message } = isFields(seen.body) ? seen.body : {};
      return holds(
        status === "failure" && code === 429 && typeof message === "string" && message.trim() !== "",
        'status "failure", status_code 429 and a message',
        seen.body,
      );
    },
  ),
]);
