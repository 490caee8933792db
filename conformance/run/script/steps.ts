import { operations } from "../../../generated/contract.ts";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import type { GivenKey } from "./keys.ts";
import { givenBy, valuesOf, type Sent } from "./references.ts";

/** The requests of a script, as they were sent before; the last one shows what is wrong. */
export type Steps = readonly Exchange[];

/** An exchange's request as a script sends it. @param baseUrl the address that it was sent to */
export function sentIn({ request }: Exchange, baseUrl: string): Sent {
  const { authorization = null, ...headers } = request.headers;
  return {
    method: request.method,
    path: request.url.slice(baseUrl.length),
    authorization,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name))),
    body: request.body,
  };
}

/** Headers that each client adds by itself. */
const ofConnection: ReadonlySet<string> = new Set(["host", "content-length", "connection", "accept"]);

/**
 * The requests up to one. A read that is repeated while its account does nothing else than read waited for something: only
 * its last response shows it, and one before that is the same.
 */
export function stepsTo(culprit: Exchange, exchanges: readonly Exchange[]): Steps {
  const before = exchanges.slice(0, exchanges.indexOf(culprit) + 1);
  const nextOf = (exchange: Exchange): Exchange | undefined => {
    const next = before.find(
      (later, nth) =>
        nth > before.indexOf(exchange) && (isSame(later, exchange) || !isReadOf(exchange, later)),
    );
    return isRead(exchange) && next !== undefined && isSame(next, exchange) ? next : undefined;
  };
  const hasWaited = (exchange: Exchange): boolean => {
    const next = nextOf(exchange);
    return (
      next !== undefined && (nextOf(next) !== undefined || next.response?.body !== exchange.response?.body)
    );
  };
  return before.filter(
    (exchange) => exchange.response !== null && (exchange === culprit || !hasWaited(exchange)),
  );
}

/** The label of the credential that a request was sent with. */
export const keyOf = ({ request }: Exchange): string | undefined =>
  /^Bearer («[^»]+»)$/.exec(request.headers["authorization"] ?? "")?.[1];

/**
 * Whether a step can be sent again: by an account that a step registers, or by none; a read also with a key that the user
 * gives, for the history of its account stays.
 */
export function isRepeatable(step: Exchange, steps: Steps, given: ReadonlyMap<string, GivenKey>): boolean {
  const key = keyOf(step);
  if (key === undefined || (given.has(key) && isRead(step))) return true;
  return steps.some((other) => givenBy(jsonOf(other)).some(({ value }) => value === key));
}

/** Whether a step may move credits. */
export const isPaid = ({ operation }: Exchange): boolean =>
  operation !== null && operations[operation].changes === "credits";

/** Whether a step only reads: to send it again changes nothing. */
export const isRead = ({ request }: Exchange): boolean => request.method === "GET";

const isReadOf = ({ account }: Exchange, other: Exchange): boolean =>
  isRead(other) && other.account === account;

/** Whether two steps are the same request of one account. */
export const isSame = (one: Exchange, other: Exchange): boolean =>
  one.account === other.account &&
  one.request.method === other.request.method &&
  one.request.url === other.request.url;

/**
 * Some steps, and those whose responses give what these repeat. A Call needs no Discover, whose search it names; a read
 * of what the search left does.
 */
export function withSources(kept: ReadonlySet<Exchange>, steps: Steps, baseUrl: string): Exchange[] {
  const needed = new Set<string>();
  const read = new Set<string>();
  return steps
    .toReversed()
    .filter((step) => {
      const takers = step.operation === "discover" ? read : needed;
      const given = givenBy(jsonOf(step)).filter(({ value }) => takers.has(value));
      if (!kept.has(step) && given.length === 0) return false;
      for (const { value } of given) for (const values of [needed, read]) values.delete(value);
      for (const value of valuesOf(sentIn(step, baseUrl))) {
        needed.add(value);
        if (isRead(step)) read.add(value);
      }
      return true;
    })
    .reverse();
}

/** The steps in their order, Calls that were under way at the same time together. */
export function sideBySide(steps: Steps): Exchange[][] {
  const sides: Exchange[][] = [];
  let end = -Infinity;
  for (const step of steps) {
    // A start is cut to a millisecond.
    const overlaps = isPaid(step) && step.started_at + 1 <= end;
    if (overlaps) sides.at(-1)!.push(step);
    else sides.push([step]);
    const own = isPaid(step) ? step.started_at + step.duration_ms : -Infinity;
    end = overlaps ? Math.max(end, own) : own;
  }
  return sides;
}

/**
 * What a script may do without, since what would be right does not depend on it: nothing; what reads, and what is free where
 * no usage is read; also other Calls than the one of a row that the last request names; or anything.
 */
export type Spares = "nothing" | "reads" | "other rows" | "anything";

/** The steps that a script may do without, if it shows the same without them. */
export function sparable(steps: Steps, spares: Spares, place: string | null, baseUrl: string): Exchange[] {
  const culprit = steps.at(-1)!;
  const named = new Set(valuesOf(sentIn(culprit, baseUrl)));
  const isNamed = steps.some(
    (step) => isPaid(step) && givenBy(jsonOf(step)).some(({ value }) => named.has(value)),
  );
  const isOfRow = isRead(culprit) && isNamed && place !== null;
  const sparesCalls = spares === "anything" || (spares === "other rows" && isOfRow);
  return steps.filter((step) => {
    if (step === culprit || spares === "nothing") return false;
    if (sparesCalls || isRead(step) || step.operation === "registerAnonymous") return true;
    const isFree = step.operation !== null && operations[step.operation].changes === null;
    return isFree && !readsFreeEvents(culprit);
  });
}

/** Whether a read may show the usage events of what is free. */
const readsFreeEvents = ({ operation, request }: Exchange): boolean =>
  /[Uu]sage/.test(operation ?? "") &&
  !/[?&](?:event_type=(?!search)|kind=call|charge_outcome=charged)/.test(request.url);
