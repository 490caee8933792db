import { asOwnerOf, isOlder, itemsOf, recording, refusing } from "../../changes/audit-query.ts";
import type { NewUsageEvent, UsageEventRow } from "../../../reference-server/records.ts";
import {
  mutant,
  mutantsOf,
  onBody,
  onEach,
  onPart,
  onPath,
  onStatus,
  together,
  withSuccess,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import type { EventType } from "../../../generated/contract.ts";

const id = "listUsage";
const items = "data.items";

/** An id unknown to every account. */
export const anotherId = "11111111-1111-4111-8111-111111111111";

/** Fields of each event of the list's answer. */
export const onItems = (fields: Record<string, unknown>): Change => onEach(id, items, fields);

/** Changes the rows of the list's answer as a whole. */
export const onList = (change: (items: Body[], query: URLSearchParams) => Body[]): Change =>
  onPath(id, items, (value, request) => change(value as Body[], request.query));

/** Omits an event of a type when the predicate selects its request and answer. */
const forgetting = (type: EventType, chooses: (asked: Body, answered: Body) => boolean): Change =>
  onPart("books", (books) => ({
    ...books,
    record: async (event) => {
      const { event_type: written, request_payload: asked, response_payload_summary: answered } = event;
      if (written !== type || !chooses(asked as Body, answered as Body)) return books.record(event);
      const { available } = await books.balance(event.account_id);
      return { event: {} as UsageEventRow, remaining: available };
    },
  }));

/** What is shown of an event that is called included. */
const includedForNothing = {
  charge_outcome: "included",
  settled_amount_credits: 0,
  actual_amount_credits: 0,
  settlement_result: null,
  credits_ledger_entry_id: null,
};

/** Records events of a type with other fields. */
const recordingAs = (type: EventType, fields: Partial<NewUsageEvent>): Change =>
  recording((event) => (event.event_type === type ? fields : {}));

/** Records a Call without its tool if only the query names it. */
function forgettingNamedInQuery(): Change {
  const named = new Set<unknown>();
  return onBody(["call", id], (body, { operation, query }) => {
    if (operation === "call" && query.has("tool_id")) named.add(body["execution_id"]);
    if (operation === id)
      for (const item of itemsOf(body["data"] as Body))
        if (named.has(item["execution_id"])) item["tool_id"] = null;
    return body;
  });
}

/** Mutants of the usage events in every read. */
export const mutants = [
  ...mutantsOf({
    "USAG-01": {
      "numbers the events instead of naming them by UUID": onItems({ id: "evt_1" }),
      "gives the events of a page one id": onList((list) => list.map((item) => ({ ...item, id: anotherId }))),
      "reads an event under an id that is no UUID": onPath("getUsageEvent", "data.id", () => "evt_1"),
    },
    "USAG-03": {
      "records a Discover as an Inspect": recordingAs("search", { event_type: "search_by_ids" }),
      "leaves no event of any free request": together(
        forgetting("search", () => true),
        forgetting("search_by_ids", () => true),
      ),
      "leaves no event of a Discover for cards": forgetting("search", ({ view }) => view === "routing"),
      "leaves no event of a Discover that finds nothing": forgetting(
        "search",
        (_asked, { total }) => total === 0,
      ),
    },
    "USAG-04": {
      "records an Inspect as a Discover": recordingAs("search_by_ids", { event_type: "search" }),
      "leaves no event of any Inspect": forgetting("search_by_ids", () => true),
      "leaves no event of an Inspect in view lean": forgetting(
        "search_by_ids",
        ({ view }) => view === "lean",
      ),
    },
    "USAG-05": {
      "records a Call as a capability query": recordingAs("tool_execute", {
        event_type: "capabilities_query",
      }),
    },
    "USAG-07": {
      "records another execution_id than it answers": onItems({
        execution_id: (old: unknown) => old && `${String(old)}x`,
      }),
    },
    "USAG-08": {
      "forgets the session_id of a Call": recordingAs("tool_execute", { session_id: null }),
      "writes the session_id of a Call in lower case": recording(({ session_id }) => ({
        session_id: session_id?.toLowerCase() ?? null,
      })),
      "cuts the session_id of a Call at 36 characters": recording(({ session_id }) => ({
        session_id: session_id?.slice(0, 36) ?? null,
      })),
    },
    "USAG-09": {
      "takes the session_id of a Call for its search_id": recording((event) =>
        event.event_type === "tool_execute" ? { search_id: event.session_id } : {},
      ),
    },
    "USAG-10": {
      "forgets the session_id of an Inspect": recordingAs("search_by_ids", { session_id: null }),
      "forgets the search_id of an Inspect": recordingAs("search_by_ids", { search_id: null }),
      "forgets the session_id of an Inspect that names its search": recording((event) =>
        event.event_type === "search_by_ids" && event.search_id !== null ? { session_id: null } : {},
      ),
      "forgets the search_id of a Discover of routing cards": recording((event) =>
        JSON.stringify(event.request_payload).includes('"routing"') ? { search_id: null } : {},
      ),
    },
    "USAG-11": {
      "forgets the tool that a Call names in its query": forgettingNamedInQuery(),
      "records the name of a tool as its id": recording((event) =>
        event.event_type === "tool_execute" ? { tool_id: event.display_target } : {},
      ),
    },
    "USAG-12": { "answers success as a text": onItems({ success: String }) },
    "USAG-13": { "forgets what a Call failed of": recording(() => ({ error_message: null })) },
    "USAG-14": {
      "answers a negative duration_ms": onItems({ duration_ms: -1 }),
      "answers duration_ms in seconds": onItems({ duration_ms: (old: unknown) => Number(old) / 1000 }),
      "writes the duration of a Discover in nanoseconds": recording((event) =>
        event.event_type === "search" ? { duration_ms: (event.duration_ms + 1) * 1_000_000 } : {},
      ),
      "answers a negative duration_ms of one event": onPath("getUsageEvent", "data.duration_ms", () => -1),
    },
    "USAG-16": {
      "shows a billing rule of twice the price": onPath(
        id,
        `${items}.*.billing_rule_snapshot.amount_credits`,
        (value) => 2 * Number(value),
      ),
    },
    "USAG-17": {
      "settles less than the event says": onPath(
        id,
        `${items}.*.settlement_result.settled_amount_credits`,
        (value) => Number(value) / 2,
      ),
    },
    "USAG-18": {
      "leaves out the requested amount under both its names": onItems({
        requested_amount_credits: undefined,
        pre_settlement_amount_credits: undefined,
      }),
      "leaves out the settled amount under both its names": onItems({
        settled_amount_credits: undefined,
        actual_amount_credits: undefined,
      }),
    },
    "USAG-19": {
      "rounds one of two names of an amount up": onItems({
        requested_amount_credits: (old: unknown) => Math.ceil(Number(old) + 0.1),
      }),
    },
    "USAG-21": { "does not link a charged Call to its entry": onItems({ credits_ledger_entry_id: null }) },
    "USAG-22": {
      "links a Call that moved nothing to an entry": onItems({
        credits_ledger_entry_id: (old: unknown) => old ?? anotherId,
      }),
      "links an empty result to an entry": onPath(id, `${items}.*`, (event) =>
        (event as Body)["reason_code"] === "result.empty"
          ? { ...(event as Body), credits_ledger_entry_id: anotherId }
          : event,
      ),
      "links what is included to an entry": onPath(id, `${items}.*`, (event) =>
        (event as Body)["charge_outcome"] === "included"
          ? { ...(event as Body), credits_ledger_entry_id: anotherId }
          : event,
      ),
    },
    "USAG-23": {
      "links a charged Call to an entry that is not there": onItems({
        credits_ledger_entry_id: (old: unknown) => old && anotherId,
      }),
    },
    "USAG-24": {
      "answers created_at for people": onItems({ created_at: "Friday, 20 November 2026" }),
      "answers created_at of one event for people": onPath(
        "getUsageEvent",
        "data.created_at",
        () => "Friday, 20 November 2026",
      ),
    },
    "USAG-25": {
      "writes local time with the Z of UTC": onItems({
        created_at: (old: unknown) => new Date(Date.parse(String(old)) + 3_600_000).toISOString(),
      }),
    },
    "USAG-26": {
      "answers a charge outcome by id that differs from the list's": onPath(
        "getUsageEvent",
        "data.charge_outcome",
        (old) => (old === "included" ? "charged" : "included"),
      ),
      "lists a charge as included unless details are asked for": onPath(
        id,
        `${items}.*`,
        (event, { query }) =>
          query.get("include_details") !== "true" && (event as Body)["charge_outcome"] === "charged"
            ? { ...(event as Body), ...includedForNothing }
            : event,
      ),
      "does not find an event by its id": refusing("getUsageEvent", () => true, 404),
      "does not find an event by its id after an hour": onStatus("getUsageEvent", 200, 404, (_, { body }) =>
        isOlder((JSON.parse(body) as Body)["data"] as Body, 3_600_000),
      ),
      "does not find a capability query by its id": onStatus("getUsageEvent", 200, 404, (_, { body }) =>
        body.includes('"capabilities_query"'),
      ),
    },
    "USAG-27": {
      "answers an event_id that is no UUID with an empty event": onStatus(
        "getUsageEvent",
        422,
        withSuccess({}),
      ),
    },
    "USAG-28": {
      "answers an unknown event_id with an empty event": onStatus("getUsageEvent", 404, withSuccess({})),
    },
    "USAG-29": {
      "shows an event to whoever knows its id": asOwnerOf("getUsageEvent", "id", "event_id"),
      "shows a Call to whoever knows the id of its event": asOwnerOf(
        "getUsageEvent",
        "id",
        "event_id",
        "usage_events",
        { event_type: "tool_execute" },
      ),
    },
  }),
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
  ...(["session_id", "search_id", "tool_id"] as const).map((name) =>
    mutant(
      name === "session_id" ? "USAG-08" : name === "search_id" ? "USAG-09" : "USAG-11",
      `forgets the ${name} of a Call that fails`,
      recording((event) => (event.success === false ? { [name]: null } : {})),
    ),
  ),
  ...["execution_outcome", "billing_rule_snapshot", "pre_settlement_bill", "settlement_result"].map((name) =>
    mutant("USAG-15", `shows no ${name}`, onItems({ [name]: null })),
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
  ...["session_id", "reason_code", "credits_ledger_entry_id"].map((name) =>
    mutant(
      "USAG-26",
      `answers no ${name} by id`,
      onPath("getUsageEvent", `data.${name}`, () => null),
    ),
  ),
];
