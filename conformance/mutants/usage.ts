import {
  accepting,
  asAccount,
  asking,
  asOwnerOf,
  emptyList,
  ignoring,
  onAny,
  otherAccounts,
  recording,
  refusing,
  taking,
} from "./audit-query.ts";
import type { UsageEventRow } from "../../reference-server/storage/rows.ts";
import {
  mutant,
  onAnswers,
  onBody,
  onEach,
  onPart,
  onPath,
  type Body,
  type Change,
  type Mutant,
} from "./mutant.ts";
import { byCredential, joinItems, joiningAccounts } from "./usage-rows.ts";

const items = "data.items";
const onItems = (fields: Record<string, unknown>): Change => onEach("listUsage", items, fields);
/** An id that no account has seen. */
export const anotherId = "11111111-1111-4111-8111-111111111111";
const id = "listUsage";

/** Rows of the list's answer, changed together. */
const onList = (change: (items: Body[], query: URLSearchParams) => Body[]): Change =>
  onPath(id, items, (value, request) => change(value as Body[], request.query));

/** Writes no event of a type where the predicate chooses what was asked and answered. */
const forgetting = (type: string, chooses: (asked: Body, answered: Body) => boolean): Change =>
  onPart("books", (books) => ({
    ...books,
    record: async (event) => {
      const { event_type: written, request_payload: asked, response_payload_summary: answered } = event;
      if (written !== type || !chooses(asked as Body, answered as Body)) return books.record(event);
      const { available } = await books.balance(event.account_id);
      return { event: {} as UsageEventRow, remaining: available };
    },
  }));

/** A Call that names its tool in the query alone is recorded without it. */
function forgettingNamedInQuery(): Change {
  const named = new Set<unknown>();
  return {
    wire: (request, answer) => {
      if (answer.status !== 200) return answer;
      const body = JSON.parse(answer.body) as Body;
      if (request.operation === "call" && request.query.has("tool_id")) named.add(body["execution_id"]);
      if (request.operation !== id) return answer;
      const { data } = body as { data: { items: Body[] } };
      data.items = data.items.map((item) =>
        named.has(item["execution_id"]) ? { ...item, tool_id: null } : item,
      );
      return { ...answer, body: JSON.stringify(body) };
    },
  };
}

const events: Mutant[] = [
  mutant("USAG-01", "numbers the events instead of naming them by UUID", onItems({ id: "evt_1" })),
  mutant(
    "USAG-01",
    "gives the events of a page one id",
    onList((list) => list.map((item) => ({ ...item, id: anotherId }))),
  ),
  mutant(
    "USAG-01",
    "reads an event under an id that is no UUID",
    onPath("getUsageEvent", "data.id", () => "evt_1"),
  ),
  ...["getUsageEvent", "listUsage"].map((operation) =>
    mutant(
      "USAG-02",
      `answers the type of an event of ${operation} as tool_call`,
      onPath(
        operation as "listUsage",
        operation === id ? `${items}.*.event_type` : "data.event_type",
        () => "call",
      ),
    ),
  ),
  mutant(
    "USAG-03",
    "records a Discover as an Inspect",
    recording((event) => (event.event_type === "search" ? { event_type: "search_by_ids" } : {})),
  ),
  mutant(
    "USAG-04",
    "records an Inspect as a Discover",
    recording((event) => (event.event_type === "search_by_ids" ? { event_type: "search" } : {})),
  ),
  mutant(
    "USAG-05",
    "records a Call as a capability query",
    recording((event) => (event.event_type === "tool_execute" ? { event_type: "capabilities_query" } : {})),
  ),
  mutant(
    "USAG-07",
    "records another execution_id than it answers",
    onItems({ execution_id: (old: unknown) => old && `${String(old)}x` }),
  ),
  mutant(
    "USAG-08",
    "forgets the session_id of a Call",
    recording((event) => (event.event_type === "tool_execute" ? { session_id: null } : {})),
  ),
  mutant(
    "USAG-08",
    "writes the session_id of a Call in lower case",
    recording(({ session_id }) => ({ session_id: session_id?.toLowerCase() ?? null })),
  ),
  mutant(
    "USAG-08",
    "cuts the session_id of a Call at 36 characters",
    recording(({ session_id }) => ({ session_id: session_id?.slice(0, 36) ?? null })),
  ),
  mutant(
    "USAG-09",
    "takes the session_id of a Call for its search_id",
    recording((event) => (event.event_type === "tool_execute" ? { search_id: event.session_id } : {})),
  ),
  ...(["session_id", "search_id", "tool_id"] as const).map((name) =>
    mutant(
      name === "session_id" ? "USAG-08" : name === "search_id" ? "USAG-09" : "USAG-11",
      `forgets the ${name} of a Call that fails`,
      recording((event) => (event.success === false ? { [name]: null } : {})),
    ),
  ),
  mutant(
    "USAG-10",
    "forgets the session_id of an Inspect",
    recording((event) => (event.event_type === "search_by_ids" ? { session_id: null } : {})),
  ),
  mutant(
    "USAG-03",
    "leaves no event of a Discover for cards",
    forgetting("search", ({ view }) => view === "routing"),
  ),
  mutant(
    "USAG-03",
    "leaves no event of a Discover that finds nothing",
    forgetting("search", (_asked, { total }) => total === 0),
  ),
  mutant(
    "USAG-04",
    "leaves no event of an Inspect in view lean",
    forgetting("search_by_ids", ({ view }) => view === "lean"),
  ),
  mutant(
    "USAG-10",
    "forgets the session_id of an Inspect that names its search",
    recording((event) =>
      event.event_type === "search_by_ids" && event.search_id !== null ? { session_id: null } : {},
    ),
  ),
  mutant(
    "USAG-10",
    "forgets the search_id of a Discover of routing cards",
    recording((event) =>
      JSON.stringify(event.request_payload).includes('"routing"') ? { search_id: null } : {},
    ),
  ),
  mutant("USAG-11", "forgets the tool that a Call names in its query", forgettingNamedInQuery()),
  mutant(
    "USAG-11",
    "records the name of a tool as its id",
    recording((event) => (event.event_type === "tool_execute" ? { tool_id: event.display_target } : {})),
  ),
  mutant("USAG-12", "answers success as a text", onItems({ success: String })),
  mutant(
    "USAG-13",
    "forgets what a Call failed of",
    recording(() => ({ error_message: null })),
  ),
  mutant("USAG-14", "answers a negative duration_ms", onItems({ duration_ms: -1 })),
  mutant(
    "USAG-14",
    "answers duration_ms in seconds",
    onItems({ duration_ms: (old: unknown) => Number(old) / 1000 }),
  ),
  mutant(
    "USAG-14",
    "answers a negative duration_ms of one event",
    onPath("getUsageEvent", "data.duration_ms", () => -1),
  ),
  mutant(
    "USAG-16",
    "shows a billing rule of twice the price",
    onPath(id, `${items}.*.billing_rule_snapshot.amount_credits`, (value) => 2 * Number(value)),
  ),
  mutant(
    "USAG-17",
    "settles less than the event says",
    onPath(id, `${items}.*.settlement_result.settled_amount_credits`, (value) => Number(value) / 2),
  ),
  mutant(
    "USAG-18",
    "leaves out the requested amount under both its names",
    onItems({ requested_amount_credits: undefined, pre_settlement_amount_credits: undefined }),
  ),
  mutant(
    "USAG-18",
    "answers the settled amount as a text under both its names",
    onItems({ settled_amount_credits: String, actual_amount_credits: String }),
  ),
  mutant(
    "USAG-19",
    "rounds one of two names of an amount up",
    onItems({ requested_amount_credits: (old: unknown) => Math.ceil(Number(old) + 0.1) }),
  ),
  ...["settled_amount_credits", "actual_amount_credits"].flatMap((name) => [
    mutant(
      "USAG-20",
      `answers ${name} with the sign of the movement`,
      onItems({ [name]: (old: unknown) => -Number(old) - 1 }),
    ),
    mutant(
      "USAG-20",
      `answers a negative ${name} of one event`,
      onPath("getUsageEvent", `data.${name}`, () => -1),
    ),
  ]),
  mutant("USAG-21", "does not link a charged Call to its entry", onItems({ credits_ledger_entry_id: null })),
  ...["summary", "fields"].map((form) =>
    mutant(
      "USAG-21",
      `does not link a charged Call whose respond_with is ${form}`,
      onPath(id, `${items}.*`, (event) => {
        const asked = ((event as Body)["request_payload"] as Body | null)?.["respond_with"];
        return String(asked).startsWith(form) ? { ...(event as Body), credits_ledger_entry_id: null } : event;
      }),
    ),
  ),
  mutant(
    "USAG-22",
    "links a Call that moved nothing to an entry",
    onItems({ credits_ledger_entry_id: (old: unknown) => old ?? anotherId }),
  ),
  mutant(
    "USAG-22",
    "links what is included to an entry",
    onPath(id, `${items}.*`, (event) =>
      (event as Body)["charge_outcome"] === "included"
        ? { ...(event as Body), credits_ledger_entry_id: anotherId }
        : event,
    ),
  ),
  mutant(
    "USAG-23",
    "links a charged Call to an entry that is not there",
    onItems({ credits_ledger_entry_id: (old: unknown) => old && anotherId }),
  ),
  mutant("USAG-24", "answers created_at for people", onItems({ created_at: "Friday, 20 November 2026" })),
  mutant(
    "USAG-24",
    "answers created_at of one event for people",
    onPath("getUsageEvent", "data.created_at", () => "Friday, 20 November 2026"),
  ),
  mutant(
    "USAG-25",
    "writes local time with the Z of UTC",
    onItems({ created_at: (old: unknown) => new Date(Date.parse(String(old)) + 3_600_000).toISOString() }),
  ),
  mutant(
    "USAG-26",
    "answers a charge outcome by id that differs from the list's",
    onPath("getUsageEvent", "data.charge_outcome", (old) => (old === "included" ? "charged" : "included")),
  ),
  mutant(
    "USAG-26",
    "does not find an event by its id",
    refusing("getUsageEvent", () => true, 404),
  ),
  mutant(
    "USAG-26",
    "does not find a capability query by its id",
    onAnswers(
      ({ operation }, { body }) => operation === "getUsageEvent" && body.includes('"capabilities_query"'),
      (answer) => ({ ...answer, status: 404 }),
    ),
  ),
  ...["session_id", "reason_code", "credits_ledger_entry_id"].map((name) =>
    mutant(
      "USAG-26",
      `answers no ${name} by id`,
      onPath("getUsageEvent", `data.${name}`, () => null),
    ),
  ),
  mutant(
    "USAG-27",
    "does not find an event_id that is no UUID",
    onAnswers(
      ({ operation }, { status }) => operation === "getUsageEvent" && status === 422,
      (answer) => ({ ...answer, status: 404 }),
    ),
  ),
  mutant(
    "USAG-28",
    "answers an unknown event_id with an empty event",
    onAnswers(
      ({ operation }, { status }) => operation === "getUsageEvent" && status === 404,
      (answer) => ({
        ...answer,
        status: 200,
        body: JSON.stringify({ status: "success", message: "ok", status_code: 0, data: {} }),
      }),
    ),
  ),
  mutant("USAG-29", "shows an event to whoever knows its id", asOwnerOf("getUsageEvent", "id", "event_id")),
];

const list: Mutant[] = [
  mutant(
    "USAG-30",
    "counts pages from 0",
    onPath(id, "data.page", (page) => Number(page) - 1),
  ),
  mutant(
    "USAG-30",
    "answers every page as the first",
    onPath(id, "data.page", () => 1),
  ),
  mutant(
    "USAG-30",
    "answers a page_size of 0",
    onPath(id, "data.page_size", () => 0),
  ),
  mutant(
    "USAG-31",
    "lists the oldest event of a page first",
    onList((rows) => [...rows].reverse()),
  ),
  mutant(
    "USAG-32",
    "counts the items of the page",
    onBody(id, (body) => {
      const data = body["data"] as Body;
      return { ...body, data: { ...data, total: (data["items"] as unknown[]).length } };
    }),
  ),
  mutant(
    "USAG-32",
    "counts no more than 100 events",
    onPath(id, "data.total", (total) => Math.min(100, Number(total))),
  ),
  mutant(
    "USAG-32",
    "counts one event too many",
    onPath(id, "data.total", (total) => Number(total) + 1),
  ),
  mutant(
    "USAG-32",
    "answers a total below 0",
    onPath(id, "data.total", () => -1),
  ),
  mutant(
    "USAG-33",
    "returns one item more than it says",
    onPath(id, "data.page_size", (size) => Math.max(1, Number(size) - 1)),
  ),
  mutant(
    "USAG-34",
    "answers an empty summary when none is asked for",
    onPath(id, "data.summary", (summary) => summary ?? {}),
  ),
  mutant(
    "USAG-34",
    "answers no summary when one is asked for",
    onPath(id, "data.summary", () => null),
  ),
  mutant("USAG-35", "finds everybody's events of a search", asOwnerOf(id, "search_id", "search_id")),
  mutant("USAG-35", "finds everybody's events of a key", asOwnerOf(id, "api_key_id", "api_key_id")),
  mutant(
    "USAG-35",
    "finds everybody's events of a credential type",
    joiningAccounts(id, joinItems, byCredential),
  ),
  mutant(
    "USAG-35",
    "shows the newest event of every account on the first page",
    onAny(id, (operation) => async (request, context) => {
      const answer = await operation(request, context);
      const query = request.query as Body;
      const plain = query["search_id"] === undefined && query["start_date"] === undefined;
      if (!plain || query["page"] !== 1 || !("body" in answer) || answer.status !== 200) return answer;
      const body = answer.body as { data: { items: unknown[] } };
      for (const account of await otherAccounts(request, context)) {
        const theirs = await operation(
          { ...asAccount(request, account), query: { page: 1, page_size: 3 } },
          context,
        );
        if ("body" in theirs) body.data.items.push(...(theirs.body as typeof body).data.items);
      }
      return answer;
    }),
  ),
  mutant("USAG-36", "takes a page below 1 for the first", accepting(id, "page", emptyList)),
  mutant("USAG-36", "takes a limit below 1 for none", accepting(id, "limit", emptyList)),
  mutant(
    "USAG-37",
    "begins each page with the last item of the one before",
    onAny(id, (operation) => async (request, context) => {
      const answer = await operation(request, context);
      const query = request.query as { page: number };
      if (query.page === 1 || !("body" in answer) || answer.status !== 200) return answer;
      const before = await operation({ ...request, query: { ...query, page: query.page - 1 } }, context);
      const dataOf = (one: object): { items: unknown[] } =>
        (("body" in one ? one.body : {}) as { data: { items: unknown[] } }).data;
      const data = dataOf(answer);
      data.items = [...dataOf(before).items.slice(-1), ...data.items.slice(0, -1)];
      return answer;
    }),
  ),
  mutant(
    "USAG-37",
    "loses the last item of every full page",
    onList((rows, query) => (rows.length === Number(query.get("page_size")) ? rows.slice(0, -1) : rows)),
  ),
  mutant(
    "USAG-38",
    "has 20 items on a page unless told",
    taking(id, "page_size", (size) => (size === 50 ? 20 : size)),
  ),
  mutant(
    "USAG-39",
    "refuses a page_size of more than 500 as the ledger does",
    refusing(id, (query) => Number(query.get("page_size")) > 1000, 422),
  ),
  mutant("USAG-40", "takes any page_size", accepting(id, "page_size", emptyList)),
  mutant(
    "USAG-41",
    "always has 50 items on a page",
    taking(id, "page_size", () => 50),
  ),
  mutant("USAG-42", "ignores limit where page_size is given", ignoring(id, "limit")),
  mutant(
    "USAG-42",
    "takes the smaller one of limit and page_size",
    asking(id, (query) =>
      query["limit"] === undefined
        ? query
        : { ...query, limit: Math.min(Number(query["limit"]), Number(query["page_size"])) },
    ),
  ),
  mutant(
    "USAG-42",
    "counts the pages before by page_size where limit is given",
    onAny(id, (operation) => async (request, context) => {
      const { limit, ...query } = request.query as { limit?: number; page?: number; page_size?: number };
      if (limit === undefined) return operation(request, context);
      const answer = await operation({ ...request, query }, context);
      const data = ("body" in answer ? answer.body : {}) as { data?: { items: Body[]; page_size: number } };
      if (data.data) Object.assign(data.data, { items: data.data.items.slice(0, limit), page_size: limit });
      return answer;
    }),
  ),
  mutant(
    "USAG-43",
    "takes any limit for the page_size",
    asking(id, ({ limit, ...query }) => (limit === undefined ? query : { ...query, page_size: limit })),
  ),
  mutant("USAG-44", "never shows details", ignoring(id, "include_details")),
  mutant(
    "USAG-44",
    "shows details on the first page alone",
    asking(id, (query) => (Number(query["page"] ?? 1) > 1 ? { ...query, include_details: false } : query)),
  ),
  mutant(
    "USAG-44",
    "shows no details beside a summary",
    asking(id, (query) => (query["summary"] === true ? { ...query, include_details: false } : query)),
  ),
  mutant("USAG-44", "stores no answers", onItems({ response_payload_summary: undefined })),
  mutant(
    "USAG-45",
    "always shows details",
    asking(id, (query) => ({ ...query, include_details: true })),
  ),
];

export const usage: Mutant[] = [...events, ...list];
