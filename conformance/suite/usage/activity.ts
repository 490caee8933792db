import type { Stage } from "../../run/check.ts";
import { type Account, type Query, usable } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { costOf } from "../../judge/rows.ts";
import { lastMonth, untilLater, wholeList, wholePage } from "../../server/lists.ts";
import { hiddenQueries, queriesOf, wantedBy } from "../../books/filters.ts";
import { createdAt, justBefore, rowStep } from "../../books/listed.ts";
import type { Use } from "../../server/profile.ts";
import { until } from "../../server/session.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

const list = "listUsage";

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
  wholeList(account, list, query);

/** Every filter but the dates together: values that may select the newest charged event, and a client that none has. */
export function everyFilter(events: readonly Located[]): Query {
  const event = events.find((event) => costOf(event) > 0) ?? events[0]!;
  const queries = [...queriesOf(list, [event]), ...hiddenQueries(list)];
  const fitting = queries.filter((query) => wantedBy(list, query)(event) !== false);
  return Object.assign({}, ...fitting, { min_credits: 0, oauth_client_id: "no-such-client" }) as Query;
}

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

/** The event of a Call. @throws Blocked when there is none, so that nothing of it can be judged */
export async function eventOf(account: Account, call: Answer): Promise<Located> {
  const event = await account.usageOf(call);
  if (!event.present) throw new Blocked("the Call has no usage event", call.exchange);
  return event;
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
