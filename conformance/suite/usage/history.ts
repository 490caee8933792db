import type { Stage } from "../../runner/check.ts";
import { shown } from "../../judge/expect.ts";
import { type Account, type Query, usable } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { microsOf, stepOf, timestampLike } from "../../judge/instant.ts";
import { until } from "../../subject/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

/** Events that are asked for at once when the whole list is read. */
const pageSize = 1000;
/** An account with more events than this many pages cannot be read whole within a check. */
const mostPages = 10;

/** What an account has done in one check, and the events that it left. */
export interface History {
  session: string;
  searchId: string;
  /** The Call of the charged tool; undefined where the profile gives none. */
  charged: Answer | undefined;
  /** The Call of the tool whose provider fails; undefined where the profile gives none. */
  failed: Answer | undefined;
  /** The capability query; undefined where none was asked for, or the profile knows no capability. */
  queried: Answer | undefined;
  /** The events of all that, newest first, with details. */
  events: Located[];
  /** An instant just before the first of them: what is read from there on stays small on accounts with a long past. */
  since: string;
}

/** Credits within which a capability query may choose. */
const budget = 2;

/** A capability query, where the profile knows what to ask; whatever it is answered. */
export async function queryCapability({ account, profile }: Stage): Promise<Answer | undefined> {
  const known = profile.features.capabilities === undefined ? profile.capabilities.query : undefined;
  if (known === undefined) return undefined;
  const { id: capability_id, parameters = {} } = known;
  return account.ask("queryCapability", { body: { capability_id, parameters, max_credits: budget } });
}

/**
 * A Discover, an Inspect, and where the profile gives the tools a Call that is charged and one that fails, all of one
 * session and one search; with `querying` a capability query too. Costs one charged Call, and the query.
 * @throws Blocked when the events do not appear within `audit_lag`
 */
export async function makeHistory(stage: Stage, { querying = false } = {}): Promise<History> {
  const { account, profile, tool, unique } = stage;
  const session = unique("session");
  const discover = usable(await account.discover({ query: "data", limit: 1, session_id: session }));
  const searchId = discover.at("search_id").string;
  const ids = { search_id: searchId, session_id: session };
  const some = profile.tools.charged ?? Object.values(profile.tools)[0];
  usable(await account.inspect({ tool_ids: [some?.id ?? "unknown"], ...ids }));
  const charged = profile.tools.charged && (await account.succeed(tool("charged"), ids));
  const failed = profile.tools.provider_error && (await account.call(tool("provider_error"), ids));
  const queried = querying ? await queryCapability(stage) : undefined;
  await account.settled();
  const execution = queried?.status === 200 ? queried.at("execution_id").value : undefined;
  const mine = (event: Located): boolean =>
    event.at("session_id").value === session ||
    event.at("search_id").value === searchId ||
    (execution !== undefined && event.at("execution_id").value === execution);
  const events = (await recent(account)).filter(mine);
  if (events.length === 0) throw new Blocked("the events on which this builds do not appear");
  return { session, searchId, charged, failed, queried, events, since: justBefore(events.at(-1)!) };
}

/** An instant just before an event, however its timestamp may be rounded. */
export function justBefore(event: Located): string {
  const text = event.at("created_at").string;
  return timestampLike(text, instantAt(event) - 2 * stepOf(text));
}

/** The newest events of an account, with details. */
export const recent = async (account: Account): Promise<Located[]> =>
  usable(await account.usage({ include_details: true, page: 1, page_size: 200 })).at("data.items").items;

/** Every event that a query selects, page by page, newest first, with details. */
export async function listed(account: Account, query: Query = {}): Promise<Located[]> {
  const found = new Map<string, Located>();
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = usable(
      await account.usage({ include_details: true, page_size: pageSize, ...query, page }),
    );
    const items = answer.at("data.items").items;
    for (const item of items) found.set(item.at("id").string, item);
    const effective = Math.min(pageSize, Number(answer.at("data.page_size").value) || pageSize);
    if (items.length < effective) return [...found.values()];
  }
  throw new Unverifiable(
    `the account has more than ${pageSize * mostPages} events`,
    "credentials: {pool: [KEY of an account with a shorter history, …]}",
  );
}

/** Reads the ids of the events that a query selects; `known` are the events to tell them by. */
export type Reader = (account: Account, query: Query, known: readonly Located[]) => Promise<string[]>;

/** The usage list itself, read whole. */
export const byList: Reader = async (account, query) => (await listed(account, query)).map(idOf);

export const idOf = (event: Located): string => event.at("id").string;

/** A query, and the events that it selects: those of `must`, and none that is not of `may`. */
export interface Selection {
  query: Query;
  must: (event: Located) => boolean;
  /** The same as `must` unless the contract leaves some events open. */
  may?: (event: Located) => boolean;
}

/**
 * Expects of each selection that reading it finds every event of the account that satisfies it, and no other, among
 * those from `since` on. What the account has is read from the whole list.
 * @throws Unverifiable when no selection has an event to find, or none has an event to leave out
 */
export async function selectsExactly(
  { account, expect }: Stage,
  read: Reader,
  since: string,
  selections: readonly Selection[],
): Promise<void> {
  const before = await listed(account, { start_date: since });
  if (!selections.some(({ must }) => before.some(must))) {
    throw new Unverifiable("the account has no event that these filters select");
  }
  if (!selections.some(({ must, may = must }) => before.some((event) => !may(event)))) {
    throw new Unverifiable("the account has no event that these filters leave out");
  }
  let known = before;
  for (const { query, must, may = must } of selections) {
    const asked = { start_date: since, ...query };
    let ids = await read(account, asked, known);
    // An event may have come since: what is still unknown then is not to be selected.
    if (ids.some((id) => !known.some((event) => idOf(event) === id))) {
      known = await listed(account, { start_date: since });
      ids = await read(account, asked, known);
    }
    const wrong = ids.filter((id) => !known.some((event) => idOf(event) === id && may(event)));
    const missing = before.filter((event) => must(event) && !ids.includes(idOf(event)));
    expect(wrong, `the events that ${shown(query)} selects and should not`).toBe([]);
    expect(missing.map(idOf), `the events that ${shown(query)} should select and does not`).toBe([]);
  }
}

const has =
  (name: string, ...values: unknown[]) =>
  (event: Located): boolean =>
    values.includes(event.at(name).value);

const equal = (name: string, value: string | boolean): Selection => ({
  query: { [name]: value },
  must: has(name, value),
});

/** The values that stand at a path of the events. */
const valuesOf = (events: readonly Located[], path: string): string[] => [
  ...new Set(events.map((event) => event.at(path).value).filter((value) => typeof value === "string")),
];

export const chargeOutcomes = ["charged", "included", "failed_not_charged", "failed_charged_review"];
export const kinds: Record<string, readonly string[]> = {
  discover: ["search", "search_by_ids"],
  call: ["tool_execute", "capabilities_query"],
  model: ["model_call"],
};

export const byType = (): Selection[] =>
  Object.values(kinds)
    .flat()
    .map((type) => equal("event_type", type));

export const byKind = (): Selection[] =>
  Object.entries(kinds).map(([kind, types]) => ({ query: { kind }, must: has("event_type", ...types) }));

export const bySuccess = (): Selection[] => [equal("success", true), equal("success", false)];

export const byChargeOutcome = (): Selection[] =>
  chargeOutcomes.map((outcome) => equal("charge_outcome", outcome));

/** Each outcome that an event has, and one that none has. */
export const byOutcome = ({ events }: History, { unique }: Stage): Selection[] =>
  [...valuesOf(events, "execution_outcome.outcome"), unique("outcome")].map((outcome) => ({
    query: { outcome },
    must: has("execution_outcome.outcome", outcome),
  }));

/** Nothing where no event shows an outcome: the list may leave it out, and then it cannot tell who has one. */
export const byHasOutcome = ({ events }: History): Selection[] =>
  events.some((event) => event.at("execution_outcome").present)
    ? [true, false].map((asked) => ({
        query: { has_execution_outcome: asked },
        must: (event) => event.at("execution_outcome").present === asked,
      }))
    : [];

/**
 * Each reason that an event has, and one that none should have. The contract calls it the outcome's reason, so that a
 * server may look into `execution_outcome`, which only executed Calls are sure to have.
 */
export const byReason = ({ events }: History): Selection[] =>
  [...new Set([...valuesOf(events, "reason_code"), "oauth_signin_required"])].map((reason) => ({
    query: { reason_code: reason },
    must: (event) => has("reason_code", reason)(event) && event.at("execution_outcome").present,
    may: (event) =>
      has("reason_code", reason)(event) ||
      has("execution_outcome.reason_code", reason)(event) ||
      has("execution_outcome.reason", reason)(event),
  }));

export const byReview = (): Selection[] => [
  { query: { anomaly: "failed_charged_review" }, must: has("charge_outcome", "failed_charged_review") },
];

export const bySearch = ({ searchId }: History): Selection[] => [equal("search_id", searchId)];

/** The executions of the history, and one that no event has. */
export const byExecution = ({ events }: History, { unique }: Stage): Selection[] =>
  [...valuesOf(events, "execution_id"), unique("execution")].map((id) => equal("execution_id", id));

/** Bounds below, at and above each amount of the history. */
export const byCredits = ({ events }: History): Selection[] => {
  const bounds = [...new Set(events.flatMap(amountsOf).filter((amount) => amount > 0))].slice(0, 3);
  return bounds.flatMap((bound) => {
    const [above, below] = [decimal(bound + 0.01), decimal(Math.max(0, bound - 0.01))];
    return [
      amounts({ min_credits: bound }, (amount) => amount >= bound),
      amounts({ min_credits: above }, (amount) => amount >= above),
      amounts({ max_credits: bound }, (amount) => amount <= bound),
      amounts({ max_credits: below }, (amount) => amount <= below),
      amounts({ min_credits: bound, max_credits: bound }, (amount) => amount === bound),
    ];
  });
};

const decimal = (amount: number): number => Number(amount.toFixed(6));

/**
 * The contract says "settled/requested credits": an event of which only one of the two amounts is within the bounds may
 * be selected or not.
 */
const amounts = (query: Query, within: (amount: number) => boolean): Selection => ({
  query,
  must: (event) => {
    const all = amountsOf(event);
    return all.length > 0 && all.every(within);
  },
  may: (event) => {
    const all = amountsOf(event);
    return (all.length === 0 ? [0] : all).some(within);
  },
});

export const settledOf = (event: Located): number | undefined =>
  numberAt(event, "settled_amount_credits", "actual_amount_credits");

export const requestedOf = (event: Located): number | undefined =>
  numberAt(event, "pre_settlement_amount_credits", "requested_amount_credits");

const numberAt = (event: Located, ...names: string[]): number | undefined =>
  names.map((name) => event.at(name).value).find((value) => typeof value === "number");

const amountsOf = (event: Located): number[] =>
  [settledOf(event), requestedOf(event)].filter((amount) => amount !== undefined);

/** Values of which the contract lists all, and that are none of them. */
export const unlisted: readonly Query[] = ["event_type", "kind", "charge_outcome", "anomaly"].map((name) => ({
  [name]: "no_such_value",
}));

/** Bounds between which no amount lies, though each of them alone selects what was charged, or what was not. */
export const contradiction: Query = { min_credits: 0.000001, max_credits: 0 };

/** The filters by type, kind, success, outcome, reason, charge outcome and anomaly. */
export const classFilters = (history: History, stage: Stage): Selection[] => [
  ...byType(),
  ...byKind(),
  ...bySuccess(),
  ...byOutcome(history, stage),
  ...byHasOutcome(history),
  ...byReason(history),
  ...byChargeOutcome(),
  ...byReview(),
];

/** The filters by id, attribution and credits. */
export const idFilters = (history: History, stage: Stage): Selection[] => [
  ...bySearch(history),
  ...byExecution(history, stage),
  { query: { api_key_id: "00000000-0000-4000-8000-000000000000" }, must: () => false },
  { query: { oauth_client_id: stage.unique("client") }, must: () => false },
  ...byCredits(history),
];

/** Filters by what events need not show: what they select is known from the list alone. */
const hiddenFilters = [
  ["billable_success", true],
  ["billable_success", false],
  ["anomaly", "missing_ledger_link"],
  ["anomaly", "missing_billing_snapshot"],
] as const;

/**
 * Expects that reading with each filter whose rows the events do not show finds what the list finds with it, among the
 * events from `since` on.
 */
export async function selectsAsList({ account, expect }: Stage, read: Reader, since: string): Promise<void> {
  for (const [name, value] of hiddenFilters) {
    const query = { start_date: since, [name]: value };
    const known = await listed(account, { start_date: since });
    const wanted = (await byList(account, query, known)).sort();
    expect((await read(account, query, known)).sort(), `the events of ${name}=${String(value)}`).toBe(wanted);
  }
}

/** The id of the API key to which an event is attributed, where the server shows one. */
export const keyOf = (event: Located): unknown =>
  event.at("api_key_id").value ?? event.at("api_key.id").value;

/** When an event happened, in microseconds. @throws Blocked when it does not say so. */
export function instantAt(event: Located): number {
  const instant = microsOf(event.at("created_at").value);
  if (instant === undefined) throw new Blocked("created_at is no timestamp", event.exchange);
  return instant;
}

/** The event of a Discover that is made now, once it is in the list. */
export async function discoverEvent(account: Account): Promise<Located> {
  const searchId = usable(await account.discover({ query: "data", limit: 1 })).at("search_id").string;
  const read = async (): Promise<Located | undefined> =>
    usable(await account.usage({ page_size: 10 }))
      .at("data.items")
      .items.find((event) => event.at("search_id").value === searchId);
  const event = await until(1000 * account.profile.audit_lag, read, (found) => found !== undefined);
  if (event === undefined) throw new Blocked("the event of a Discover does not appear");
  return event;
}

/** Three events in the order of time, far enough apart for their timestamps to tell. */
export async function eventsApart(account: Account): Promise<[Located, Located, Located]> {
  const after = async (event: Located): Promise<Located> => {
    const from = instantAt(event) + 4 * stepOf(event.at("created_at").string);
    const next = await until(
      10_000,
      () => discoverEvent(account),
      (one) => instantAt(one) >= from,
    );
    if (instantAt(next) < from) throw new Blocked("created_at does not move on", next.exchange);
    return next;
  };
  const early = await discoverEvent(account);
  const middle = await after(early);
  return [early, middle, await after(middle)];
}

/**
 * Both dates at an event's own instant. At the end the instant itself stays open: the contract does not say whether it
 * belongs to the window; timestamps may be rounded, so that neighbours within two of their steps stay open too.
 * @param offset minutes east of UTC in which the instants are written
 */
export function byInstant(event: Located, offset?: number): { start: Selection; end: Selection } {
  const text = event.at("created_at").string;
  const [instant, step] = [instantAt(event), stepOf(text)];
  return {
    start: {
      query: { start_date: offset === undefined ? text : timestampLike(text, instant, offset) },
      must: (one) => instantAt(one) >= instant,
      may: (one) => instantAt(one) > instant - 2 * step,
    },
    end: {
      query: { end_date: timestampLike(text, instant + step, offset) },
      must: (one) => instantAt(one) <= instant,
      may: (one) => instantAt(one) <= instant + 2 * step,
    },
  };
}

/**
 * The calendar days around an event's instant. One of them is its day, whatever zone the server counts days in: with
 * this day as start and as end, and with no other, the event is selected.
 */
export const daysAround = (event: Located): string[] =>
  [-1, 0, 1].map((shift) =>
    new Date(instantAt(event) / 1000 + shift * 86_400_000).toISOString().slice(0, 10),
  );

/** Expects that a reading keeps to `start_date` and `end_date`, as instants and as days. */
export async function keepsToDates(stage: Stage, read: Reader): Promise<void> {
  const { account, expect } = stage;
  const [early, middle] = await eventsApart(account);
  const { start, end } = byInstant(middle);
  await selectsExactly(stage, read, justBefore(early), [start, end]);
  const known = await listed(account, { start_date: justBefore(early) });
  let days = 0;
  for (const day of daysAround(middle)) {
    const ids = await read(account, { start_date: day, end_date: day }, known);
    days += Number(ids.includes(idOf(middle)));
  }
  expect(days, "the days that hold the event, each as start and end").toBe(1);
}

/** A list of requests, a few of them at a time. */
export async function crowd(account: Account, count: number): Promise<void> {
  const [known] = Object.values(account.profile.tools);
  const one = (index: number): Promise<Answer> =>
    index % 2 === 0
      ? account.discover({ query: "data", limit: 1 })
      : account.inspect([known?.id ?? "unknown"]);
  for (let made = 0; made < count; made += 6) {
    await Promise.all(Array.from({ length: Math.min(6, count - made) }, (_, index) => one(made + index)));
  }
  await account.settled();
}
