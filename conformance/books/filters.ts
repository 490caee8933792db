import type { operations as Api } from "../../generated/api.ts";
import type { ClauseId } from "../../generated/clauses.ts";
import {
  ledgerScopeEntryTypes,
  operations,
  usageKindEventTypes,
  type Parameter,
} from "../../generated/contract.ts";
import type { Located } from "../judge/answer.ts";
import { atMostCredits, sameCredits } from "../judge/credits.ts";
import { isDay, microsIn, momentOf } from "../judge/instant.ts";
import { amountOf, requestedOf, settledOf } from "../judge/rows.ts";
import { createdAt, dayText, rowStep, type List, type Query } from "./listed.ts";

/*
 * The filters of the two lists: which rows each selects, and which values to ask it for. One table serves the lists,
 * their summaries, exports and feeds.
 */

/** Whether a row satisfies a filter; null when the contract leaves it open. */
export type Wanted = (row: Located) => boolean | null;

type Value = string | number | boolean;

/** A filter of a list. */
export interface Filter {
  /** Whether a row satisfies it with a value. */
  wanted: (value: string) => Wanted;
  /** The values to ask it for, given some rows; the words that the spec lists where there is no such function. */
  values?: (rows: readonly Located[]) => readonly Value[];
  /** Values whose rows need not show that they satisfy it: only the list reveals what they select. */
  hidden?: readonly Value[];
  /** Whether an account with a history has rows that it selects, and others. */
  divides?: boolean;
  /** The clause that says what it selects, and that in words; none where a check of its own judges it. */
  says?: readonly [clause: ClauseId, title: string];
}

type Filters<Name extends PropertyKey = string> = Readonly<Record<Name, Filter>>;

/** The filters of a list: all its parameters but those of its form. */
type FilterOf<L extends List> = Exclude<
  keyof NonNullable<Api[L]["parameters"]["query"]>,
  "page" | "page_size" | "limit" | "include_details" | "summary" | "bucket"
>;

/** The row has the query's value at a path. */
const equal =
  (...paths: string[]) =>
  (value: string): Wanted =>
  (row) =>
    paths.some((path) => row.at(path).present && String(row.at(path).value) === value);

/** A filter by a word or flag that rows must have: whether it selects a row that lacks one is open. */
const shown =
  (path: string, filter: Filter["wanted"]): Filter["wanted"] =>
  (value) => {
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

/** The contract does not say whether the instant itself belongs to the window. The values depend on what is judged. */
const dates: Filters<"start_date" | "end_date"> = {
  start_date: {
    wanted: (bound) => (row) => {
      if (!isDay(bound)) return [false, null, true][side(row, bound) + 1]!;
      const { first, last } = daysOf(row);
      return first >= bound ? true : last < bound ? false : null;
    },
    values: () => [],
  },
  end_date: {
    wanted: (bound) => (row) => {
      if (!isDay(bound)) return [true, null, false][side(row, bound) + 1]!;
      const { first, last } = daysOf(row);
      return last <= bound ? true : first > bound ? false : null;
    },
    values: () => [],
  },
};

/** The different texts that rows show at a path. */
const textsAt = (rows: readonly Located[], path: string): string[] => [
  ...new Set(rows.map((row) => row.at(path).value).filter((value) => typeof value === "string")),
];

/** The values of rows at a path, if there are any, and one that no row has. */
const textsOr =
  (path: string, absent: string) =>
  (rows: readonly Located[]): string[] => {
    const texts = textsAt(rows, path);
    return texts.length === 0 ? [] : [...texts, absent];
  };

/** The texts of some form that all rows show, each once: rows without one may have it. */
const shownByAll = (rows: readonly Located[], shownIn: (row: Located) => unknown, form: RegExp): string[] => {
  const values = rows.map(shownIn);
  return values.every((value) => typeof value === "string" && form.test(value))
    ? [...new Set(values as string[])]
    : [];
};

/** A UUID that no resource has. */
export const unknownUuid = "00000000-0000-4000-8000-000000000000";

/** The id of the API key that an event is attributed to, if the server shows one. */
export const keyOf = (event: Located): unknown =>
  event.at("api_key_id").value ?? event.at("api_key.id").value;

/** Each of some amounts once, as bounds. A number with an exponent may be refused as a parameter. */
const boundsOf = (amounts: readonly number[]): number[] =>
  [...new Set(amounts)].filter((amount) => !String(amount).includes("e"));

/** Some amounts of events that cost something. */
export const costsIn = (events: readonly Located[]): number[] =>
  boundsOf(events.flatMap((event) => [settledOf(event) ?? 0, requestedOf(event) ?? 0]))
    .filter((amount) => amount > 0)
    .slice(0, 3);

/** The absolute amounts of entries. */
const sizesIn = (entries: readonly Located[]): number[] =>
  boundsOf(entries.map((entry) => Math.abs(amountOf(entry) ?? 0)));

const decimal = (amount: number): number => Number(amount.toFixed(6));

/** The filters of each list; null is the answer of a filter by something that rows do not show. */
const filters: { readonly [L in List]: Filters<FilterOf<L>> } = {
  listUsage: {
    ...dates,
    event_type: {
      wanted: shown("event_type", equal("event_type")),
      says: ["USAG-52", "event_type selects exactly the events of that type"],
    },
    kind: {
      wanted: shown("event_type", among(usageKindEventTypes, "event_type")),
      divides: true,
      says: ["USAG-54", "kind selects exactly the events of its types"],
    },
    success: {
      wanted: shown("success", equal("success")),
      values: () => [true, false],
      divides: true,
      says: ["USAG-55", "success selects exactly the events with that recorded success"],
    },
    outcome: {
      wanted: equal("execution_outcome.outcome"),
      values: textsOr("execution_outcome.outcome", "no_such_outcome"),
      says: ["USAG-59", "outcome selects exactly the events with that execution outcome"],
    },
    has_execution_outcome: {
      wanted: (asked) => (event) => String(event.at("execution_outcome").present) === asked,
      // If no event shows an outcome, the list may omit it.
      values: (events) =>
        events.some((event) => event.at("execution_outcome").present) ? [true, false] : [],
      says: ["USAG-61", "has_execution_outcome tells events by their structured outcome"],
    },
    reason_code: {
      // "Outcome reason" may be that of the event or that of its execution outcome, and only executed Calls surely have
      // the latter.
      wanted: (code) => (event) => {
        const own = equal("reason_code")(code)(event);
        if (own && event.at("execution_outcome").present) return true;
        return own || equal("execution_outcome.reason_code", "execution_outcome.reason")(code)(event)
          ? null
          : false;
      },
      values: (events) => [...new Set([...textsAt(events, "reason_code"), "oauth_signin_required"])],
      says: ["USAG-60", "reason_code selects exactly the events with that reason"],
    },
    charge_outcome: {
      wanted: shown("charge_outcome", equal("charge_outcome")),
      divides: true,
      says: ["USAG-62", "charge_outcome selects exactly the events with that outcome"],
    },
    anomaly: {
      // An event without a link may have moved no balance, or not have settled yet.
      wanted: (anomaly) => (event) => {
        if (anomaly === "failed_charged_review") return equal("charge_outcome")(anomaly)(event);
        return anomaly === "missing_ledger_link" && event.at("credits_ledger_entry_id").present
          ? false
          : null;
      },
      values: () => ["failed_charged_review"],
      hidden: ["missing_ledger_link", "missing_billing_snapshot"],
    },
    billable_success: { wanted: () => () => null, values: () => [], hidden: [true, false] },
    search_id: {
      wanted: equal("search_id"),
      values: textsOr("search_id", "no-such-search"),
      says: ["USAG-66", "search_id selects exactly the events of that search"],
    },
    execution_id: {
      wanted: equal("execution_id"),
      values: textsOr("execution_id", "no-such-execution"),
      says: ["USAG-67", "execution_id selects exactly the event of that Call"],
    },
    api_key_id: {
      wanted: equal("api_key_id", "api_key.id"),
      values: (events) => [unknownUuid, ...shownByAll(events, keyOf, /^[\da-f-]{36}$/i)],
    },
    credential_type: {
      // An event need not show it.
      wanted: (type) => (event) =>
        event.at("credential_type").present ? equal("credential_type")(type)(event) : null,
      values: (events) => shownByAll(events, (event) => event.at("credential_type").value, /^.{1,32}$/),
    },
    oauth_client_id: { wanted: equal("oauth_client_id"), values: () => ["no-such-client"] },
    min_credits: {
      wanted: byCost(atLeast),
      values: (events) => costsIn(events).flatMap((bound) => [bound, decimal(bound + 0.01)]),
    },
    max_credits: {
      wanted: byCost(atMostCredits),
      values: (events) => costsIn(events).flatMap((bound) => [bound, decimal(Math.max(0, bound - 0.01))]),
    },
  },
  listLedger: {
    ...dates,
    entry_type: {
      wanted: shown("entry_type", equal("entry_type")),
      divides: true,
      says: ["LEDG-30", "entry_type selects exactly the entries of that type"],
    },
    scope: {
      wanted: shown("entry_type", among(ledgerScopeEntryTypes, "entry_type")),
      divides: true,
      says: ["LEDG-32", "scope=account_history selects exactly the entries of its four types"],
    },
    direction: {
      wanted: byAmount((amount, name) => name === "any" || (name === "consume" ? amount < 0 : amount > 0)),
      divides: true,
      says: [
        "LEDG-33",
        "direction consume selects exactly the negative entries, and grant the positive ones",
      ],
    },
    min_credits: {
      wanted: byAmount((amount, bound) => isWithin([Math.abs(amount)], Number(bound), atLeast)),
      values: sizesIn,
    },
    max_credits: {
      wanted: byAmount((amount, bound) => isWithin([Math.abs(amount)], Number(bound), atMostCredits)),
      values: sizesIn,
    },
  },
};

/** The filters of a list by their names. */
export const filtersOf = (list: List): [name: string, filter: Filter][] => Object.entries(filters[list]);

/** The words that the contract lists for a parameter. */
export const wordsOf = ({ enum: words, values = [] }: Parameter): string[] =>
  words?.map(String) ?? values.filter((word) => /^[a-z_]+$/.test(word));

/**
 * Queries of one filter each, with each value to ask it for.
 * @param rows those that the queries are to divide
 * @param names all filters by default
 */
export const queriesOf = (list: List, rows: readonly Located[], names?: readonly string[]): Query[] =>
  filtersOf(list)
    .filter(([name]) => names?.includes(name) ?? true)
    .flatMap(([name, { values }]) =>
      (values?.(rows) ?? wordsOf((operations[list].query as Record<string, Parameter>)[name]!)).map(
        (value) => ({ [name]: value }),
      ),
    );

/** Queries of one filter each, by values that rows need not show. */
export const hiddenQueries = (list: List): Query[] =>
  filtersOf(list).flatMap(([name, { hidden = [] }]) => hidden.map((value) => ({ [name]: value })));

/** A query as a filter: the conjunction of its parameters. */
export function wantedBy(list: List, query: Query): Wanted {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : ((filters[list] as Filters)[name]?.wanted(String(value)) ?? []),
  );
  return (row) => {
    const answers = asked.map((wanted) => wanted(row));
    return answers.includes(false) ? false : answers.includes(null) ? null : true;
  };
}

/** Filters that divide the rows of an account with a history; those by its keys and amounts need not. */
export const dividing: readonly string[] = (["listUsage", "listLedger"] as const)
  .flatMap(filtersOf)
  .flatMap(([name, { divides }]) => (divides ? [name] : []));

/** A query as it appears in a URL. */
export const queryText = (query: Query): string =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("&");
