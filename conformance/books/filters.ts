import { ledgerScopeEntryTypes, usageKindEventTypes } from "../../generated/contract.ts";
import type { operations } from "../../generated/api.ts";
import type { Located } from "../judge/answer.ts";
import { atMostCredits, sameCredits } from "../judge/credits.ts";
import { isDay, microsIn, momentOf } from "../judge/instant.ts";
import { amountOf, requestedOf, settledOf } from "../judge/rows.ts";
import { createdAt, dayText, rowStep, type List, type Query } from "./listed.ts";

/*
 * The rows that the filters of the two lists select. One table serves the lists, their summaries, exports and feeds.
 */

/** Whether a row satisfies a filter; null when the contract leaves it open. */
export type Wanted = (row: Located) => boolean | null;

type Filters<Name extends PropertyKey = string> = Readonly<Record<Name, (value: string) => Wanted>>;

/** The filters of a list: all its parameters but those of its form. */
type FilterOf<L extends List> = Exclude<
  keyof NonNullable<operations[L]["parameters"]["query"]>,
  "page" | "page_size" | "limit" | "include_details" | "summary" | "bucket"
>;

/** The row has the query's value at a path. */
export const equal =
  (...paths: string[]) =>
  (value: string): Wanted =>
  (row) =>
    paths.some((path) => row.at(path).present && String(row.at(path).value) === value);

/** A filter by a word or flag that rows must have: whether it selects a row that lacks one is open. */
const shown =
  (path: string, filter: (value: string) => Wanted) =>
  (value: string): Wanted => {
    const wanted = filter(value);
    return (row) => (/^(?:string|boolean)$/.test(typeof row.at(path).value) ? wanted(row) : null);
  };

/** A filter by the amount of an entry, of which the same holds. */
const byAmount =
  (within: (amount: number, value: string) => boolean | null) =>
  (value: string): Wanted =>
  (entry) => {
    const amount = amountOf(entry);
    return amount === undefined ? null : within(amount, value);
  };

/** The row's type is one of a group. */
const among =
  (groups: Readonly<Record<string, readonly string[]>>, path: string) =>
  (name: string): Wanted =>
  (row) =>
    groups[name]!.includes(String(row.at(path).value));

/** Whether an amount shows the noise of floating-point numbers, such as 0.30000000000000004. */
const isNoisy = (amount: number): boolean => amount !== Number(amount.toFixed(9));

/** Whether an amount is within a bound, or not. */
type Within = (amount: number, bound: number) => boolean;

/**
 * Whether the amounts of a row are within a bound. When a row has several amounts and only some are within it, or has none,
 * the contract does not say which one counts. An amount almost equal to the bound may be kept or left out: a server may
 * compute with another number than it shows.
 */
function isWithin(found: readonly number[], bound: number, within: Within): boolean | null {
  const kept = (found.length === 0 ? [0] : found).map((amount) =>
    sameCredits(amount, bound) && (amount !== bound || isNoisy(amount)) ? null : within(amount, bound),
  );
  if (kept.every((answer) => answer === false)) return false;
  return found.length > 0 && kept.every((answer) => answer === true) ? true : null;
}

/** A bound on the amounts of an event. */
const byCost =
  (within: Within) =>
  (bound: string): Wanted =>
  (event) => {
    const found = [settledOf(event), requestedOf(event)].filter((amount) => amount !== undefined);
    return isWithin(found, Number(bound), within);
  };

const atLeast = (amount: number, bound: number): boolean => atMostCredits(bound, amount);

/** Maximum offset in hours of a day's time zone. */
const zones = { west: 12, east: 14 };

/** The first and last day that a row may fall on, since the contract names no zone for days. */
const daysOf = (row: Located): { first: string; last: string } => ({
  first: dayText(createdAt(row) - zones.west * microsIn.hour),
  last: dayText(createdAt(row) + zones.east * microsIn.hour),
});

/** Whether a row is after an instant (1) or before it (-1), beyond the resolution of its timestamp. */
const side = (row: Located, instant: string): number => {
  const distance = createdAt(row) - momentOf(instant)!;
  return Math.abs(distance) < rowStep(row) ? 0 : Math.sign(distance);
};

/** The contract does not say whether the instant itself belongs to the window. */
const dates: Filters<"start_date" | "end_date"> = {
  start_date: (bound) => (row) => {
    if (!isDay(bound)) return [false, null, true][side(row, bound) + 1]!;
    const { first, last } = daysOf(row);
    return first >= bound ? true : last < bound ? false : null;
  },
  end_date: (bound) => (row) => {
    if (!isDay(bound)) return [true, null, false][side(row, bound) + 1]!;
    const { first, last } = daysOf(row);
    return last <= bound ? true : first > bound ? false : null;
  },
};

/** The filters of each list; null is the answer of a filter by something that rows do not show. */
const filters: { readonly [L in List]: Filters<FilterOf<L>> } = {
  listUsage: {
    ...dates,
    event_type: shown("event_type", equal("event_type")),
    kind: shown("event_type", among(usageKindEventTypes, "event_type")),
    success: shown("success", equal("success")),
    outcome: equal("execution_outcome.outcome"),
    has_execution_outcome: (asked) => (event) => String(event.at("execution_outcome").present) === asked,
    // "Outcome reason" may be that of the event or that of its execution outcome, and only executed Calls surely have
    // the latter.
    reason_code: (code) => (event) => {
      const own = equal("reason_code")(code)(event);
      if (own && event.at("execution_outcome").present) return true;
      return own || equal("execution_outcome.reason_code", "execution_outcome.reason")(code)(event)
        ? null
        : false;
    },
    charge_outcome: shown("charge_outcome", equal("charge_outcome")),
    // An event without a link may have moved no balance, or not have settled yet.
    anomaly: (anomaly) => (event) => {
      if (anomaly === "failed_charged_review") return equal("charge_outcome")(anomaly)(event);
      return anomaly === "missing_ledger_link" && event.at("credits_ledger_entry_id").present ? false : null;
    },
    billable_success: () => () => null,
    search_id: equal("search_id"),
    execution_id: equal("execution_id"),
    api_key_id: equal("api_key_id", "api_key.id"),
    // An event need not show it.
    credential_type: (type) => (event) =>
      event.at("credential_type").present ? equal("credential_type")(type)(event) : null,
    oauth_client_id: equal("oauth_client_id"),
    min_credits: byCost(atLeast),
    max_credits: byCost(atMostCredits),
  },
  listLedger: {
    ...dates,
    entry_type: shown("entry_type", equal("entry_type")),
    scope: shown("entry_type", among(ledgerScopeEntryTypes, "entry_type")),
    direction: byAmount((amount, name) => name === "any" || (name === "consume" ? amount < 0 : amount > 0)),
    min_credits: byAmount((amount, bound) => isWithin([Math.abs(amount)], Number(bound), atLeast)),
    max_credits: byAmount((amount, bound) => isWithin([Math.abs(amount)], Number(bound), atMostCredits)),
  },
};

/** A query as a filter: the conjunction of its parameters. */
export function wantedBy(list: List, query: Query): Wanted {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : ((filters[list] as Filters)[name]?.(String(value)) ?? []),
  );
  return (row) => {
    const answers = asked.map((wanted) => wanted(row));
    return answers.includes(false) ? false : answers.includes(null) ? null : true;
  };
}

/** Filters by words that divide the rows of an account with a history; those by its keys and amounts need not. */
export const dividing = ["scope", "direction", "entry_type", "kind", "success", "charge_outcome"];

/** A query as it appears in a URL. */
export const queryText = (query: Query): string =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("&");
