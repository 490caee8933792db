import { chargeOutcomes, eventTypes, usageKinds } from "../../../generated/contract.ts";
import type { Stage } from "../../run/check.ts";
import { type Account, type Query, usable } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { requestedOf, settledOf } from "../../judge/rows.ts";
import { lastMonth, untilLater, wholeList, wholePage } from "../../server/lists.ts";
import { createdAt, justBefore, rowStep } from "../../books/listed.ts";
import type { Use } from "../../server/profile.ts";
import { each } from "../../server/requests.ts";
import { until } from "../../server/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

/** An account's actions in one check, and the resulting events. */
export interface Activity {
  searchId: string;
  /** The Call of the charged tool; undefined when the profile has none. */
  charged: Answer | undefined;
  /** The events of these actions, newest first, with details. */
  events: Located[];
  /** An instant just before the first event: a query from there stays small on accounts with a long history. */
  since: string;
}

/** Budget of a capability query, in credits. */
const budget = 2;

/** What an account did in an activity. */
interface Actions {
  session: string;
  searchId: string;
  charged: Answer | undefined;
  /** The execution of its capability query. */
  execution: unknown;
}

/** A capability query if the profile names a capability; any answer is acceptable. */
export async function queryCapability({ account, profile }: Stage): Promise<Answer | undefined> {
  const known = profile.features.capabilities === undefined ? profile.capabilities.query : undefined;
  if (known === undefined) return undefined;
  const { id: capability_id, parameters = {} } = known;
  return account.ask("queryCapability", { body: { capability_id, parameters, max_credits: budget } });
}

/**
 * A Discover, an Inspect and, if the profile names the tools, a charged and a failing Call, all in one session and one
 * search; with `querying` also a capability query. Costs one charged Call and the query, unless the account has just
 * done the same for another check. With `anew` it does so in any case.
 * @throws Blocked when the events do not appear within `audit_lag`
 */
export async function act(stage: Stage, { querying = false, anew = false } = {}): Promise<Activity> {
  const { account, profile, tool } = stage;
  const queries = querying && profile.capabilities.query !== undefined;
  // Named here, since a check that builds on earlier Calls depends on how these tools end, too.
  const uses = {
    charged: profile.tools.charged && tool("charged"),
    failing: profile.tools.provider_error && tool("provider_error"),
  };
  const make = (): Promise<Actions> => actions(stage, uses, queries);
  const { session, searchId, charged, execution } = anew
    ? await make()
    : await account.once(queries ? "actions and a query" : "actions", make);
  await account.settled();
  const events = (await recent(account)).filter(
    (event) =>
      event.at("session_id").value === session ||
      event.at("search_id").value === searchId ||
      (execution !== undefined && event.at("execution_id").value === execution),
  );
  if (events.length === 0) throw new Blocked("the events that this builds on do not appear");
  return { searchId, charged, events, since: justBefore(events.at(-1)!) };
}

async function actions(
  stage: Stage,
  uses: Record<"charged" | "failing", Required<Use> | undefined>,
  querying: boolean,
): Promise<Actions> {
  const { account, unique } = stage;
  const session = unique("session");
  const discover = usable(await account.discover({ query: "data", limit: 1, session_id: session }));
  const searchId = discover.at("search_id").string;
  const ids = { search_id: searchId, session_id: session };
  usable(await account.inspect({ tool_ids: [account.knownTool], ...ids }));
  const charged = uses.charged && (await account.succeed(uses.charged, ids));
  if (uses.failing) await account.call(uses.failing, ids);
  const queried = querying ? await queryCapability(stage) : undefined;
  const execution = queried?.status === 200 ? queried.at("execution_id").value : undefined;
  return { session, searchId, charged, execution };
}

/** The newest events of an account, with details. */
export const recent = (account: Account): Promise<Located[]> =>
  account.events({ include_details: true, page: 1, page_size: 200 });

/** Every event that a query selects, newest first, with details. */
export const listed = (account: Account, query: Query = {}): Promise<Located[]> =>
  wholeList(account, "listUsage", query);

/** The values of a path in the events. */
const valuesOf = (events: readonly Located[], path: string): string[] => [
  ...new Set(events.map((event) => event.at(path).value).filter((value) => typeof value === "string")),
];

/** Filters by class and outcome; some request values that no event has. */
export const classFilters = ({ events }: Activity, { unique }: Stage) => ({
  event_type: each("event_type", eventTypes),
  kind: each("kind", usageKinds),
  success: each("success", [true, false]),
  outcome: each("outcome", [...valuesOf(events, "execution_outcome.outcome"), unique("outcome")]),
  // If no event shows an outcome, the list may omit it, and the check cannot tell which events have one.
  has_execution_outcome: events.some((event) => event.at("execution_outcome").present)
    ? each("has_execution_outcome", [true, false])
    : [],
  reason_code: each("reason_code", [
    ...new Set([...valuesOf(events, "reason_code"), "oauth_signin_required"]),
  ]),
  charge_outcome: each("charge_outcome", chargeOutcomes),
  anomaly: each("anomaly", ["failed_charged_review"]),
});

/** Filters by ids, attribution and credits; some request values that no event has. */
export const idFilters = ({ events, searchId }: Activity, { unique }: Stage) => ({
  search_id: each("search_id", [searchId]),
  execution_id: each("execution_id", [...valuesOf(events, "execution_id"), unique("execution")]),
  attribution: [
    { api_key_id: unknownUuid },
    { oauth_client_id: unique("client") },
    ...ownAttribution(events),
  ] as Query[],
  credits: creditFilters(events),
});

/** The filters by the key and the credential type that every event shows. */
export function ownAttribution(events: readonly Located[]): Query[] {
  const filters = [
    { name: "api_key_id", values: events.map(keyOf), form: /^[\da-f-]{36}$/i },
    {
      name: "credential_type",
      values: events.map((event) => event.at("credential_type").value),
      form: /^.{1,32}$/,
    },
  ];
  return filters.flatMap(({ name, values, form }) =>
    values.every((value) => typeof value === "string" && form.test(value))
      ? each(name, [...new Set(values as string[])])
      : [],
  );
}

/** A UUID that no resource has. */
export const unknownUuid = "00000000-0000-4000-8000-000000000000";

/** Bounds below, at and above some of the events' amounts. */
function creditFilters(events: readonly Located[]): Query[] {
  const amounts = events.flatMap((event) => [settledOf(event) ?? 0, requestedOf(event) ?? 0]);
  const bounds = [...new Set(amounts.filter((amount) => amount > 0))].slice(0, 3);
  return bounds.flatMap((bound) => [
    { min_credits: bound },
    { min_credits: decimal(bound + 0.01) },
    { max_credits: bound },
    { max_credits: decimal(Math.max(0, bound - 0.01)) },
    { min_credits: bound, max_credits: bound },
  ]);
}

const decimal = (amount: number): number => Number(amount.toFixed(6));

/** Filters by values that events need not show: only the list reveals what they select. */
export const hiddenFilters: readonly Query[] = [
  ...each("billable_success", [true, false]),
  ...each("anomaly", ["missing_ledger_link", "missing_billing_snapshot"]),
];

/** A credential type that no event has: some servers refuse those that they do not know. */
export const unknownCredential: Query = { credential_type: "no_such_type" };

/** Values that the contract does not list. */
export const unlisted: readonly Query[] = each(
  ["event_type", "kind", "charge_outcome", "anomaly"],
  ["no_such_value"],
);

/** Bounds with no amount between them, though each by itself selects the charged or the uncharged events. */
export const contradiction: Query = { min_credits: 0.000001, max_credits: 0 };

/**
 * Every filter but the dates together: the values of the newest charged event, as far as it shows them, and a client
 * that no event has.
 */
export function everyFilter(events: readonly Located[], client: string): Query {
  const event = events.find((event) => (settledOf(event) ?? 0) > 0) ?? events[0]!;
  const shown = (path: string): string | undefined => {
    const { value } = event.at(path);
    return typeof value === "string" ? value : undefined;
  };
  const key = keyOf(event);
  return {
    event_type: shown("event_type"),
    kind: "call",
    success: true,
    billable_success: true,
    outcome: shown("execution_outcome.outcome"),
    reason_code: shown("reason_code"),
    has_execution_outcome: true,
    charge_outcome: shown("charge_outcome"),
    anomaly: "missing_ledger_link",
    search_id: shown("search_id"),
    execution_id: shown("execution_id"),
    api_key_id: typeof key === "string" ? key : undefined,
    credential_type: shown("credential_type"),
    min_credits: 0,
    max_credits: settledOf(event) ?? 0,
    oauth_client_id: client,
  };
}

/** The id of the API key that an event is attributed to, if the server shows one. */
export const keyOf = (event: Located): unknown =>
  event.at("api_key_id").value ?? event.at("api_key.id").value;

/** A page that is not too large to read. */
export const maxOnOnePage = 1_500;

/**
 * The account of the profile, a window of its history that holds more events than most servers read at once, and their
 * number.
 * @throws Unverifiable when it has fewer, or too many to read
 */
export async function longHistory(stage: Stage): Promise<{ reader: Account; window: Query; total: number }> {
  const { reader, window } = lastMonth(stage).at(-1)!;
  const isGiven = stage.profile.credentials.account !== undefined;
  const total = usable(await reader.usage({ ...window, page_size: 1 })).at("data.total").number;
  if (total > wholePage && total <= maxOnOnePage) return { reader, window, total };
  throw new Unverifiable(
    `a long page takes an account with ${wholePage + 1} to ${maxOnOnePage} events of the last month, and ${isGiven ? "credentials.account" : "a trial account"} has ${total}`,
    "credentials: {account: KEY}",
  );
}

/** The event of a new Discover, once the list shows it. */
export async function discoverEvent(account: Account): Promise<Located> {
  const searchId = usable(await account.discover({ query: "data", limit: 1 })).at("search_id").string;
  const read = async (): Promise<Located | undefined> =>
    (await account.events({ page_size: 10 })).find((event) => event.at("search_id").value === searchId);
  const event = await until(account.lagMs, read, (event) => event !== undefined);
  if (event === undefined)
    throw new Unverifiable("the event of a Discover does not appear", "audit_lag: SECONDS");
  return event;
}

/** The event of a Discover, for a check that needs no new one. */
export const anyEvent = (account: Account): Promise<Located> =>
  account.once("the event of a Discover", () => discoverEvent(account));

/** Pauses before further events, in ms: created_at may be coarser than its digits, up to a minute. */
const coarsePauses = [2_000, 10_000, 60_000];

/**
 * Two events, far enough apart for their timestamps to differ.
 * @throws Unverifiable when created_at does not move on in more than a minute
 */
export async function eventsApart(account: Account): Promise<[older: Located, newer: Located]> {
  const events = await eventsOfMinutes(account);
  // Coarser times than of a minute are lawful; those that stand still fail in a check of USAG-24.
  if (!areApart(...events)) throw new Unverifiable("created_at does not move on");
  return events;
}

/** Two events whose timestamps differ, or that are more than a minute apart. */
export async function eventsOfMinutes(account: Account): Promise<[older: Located, newer: Located]> {
  const older = await discoverEvent(account);
  await untilLater(older);
  let newer = await discoverEvent(account);
  for (const pauseMs of coarsePauses) {
    if (areApart(older, newer)) break;
    await account.session.pause(pauseMs, "a later created_at");
    newer = await discoverEvent(account);
  }
  return [older, newer];
}

const areApart = (older: Located, newer: Located): boolean =>
  createdAt(newer) - createdAt(older) >= 2 * rowStep(older);

/** Sends many free requests, a few at a time. */
export async function crowd(account: Account, count: number): Promise<void> {
  const one = (index: number): Promise<Answer> =>
    index % 2 === 0 ? account.discover({ query: "data", limit: 1 }) : account.inspect([account.knownTool]);
  for (let made = 0; made < count; made += 6) {
    await Promise.all(Array.from({ length: Math.min(6, count - made) }, (_, index) => one(made + index)));
  }
  await account.settled();
}
