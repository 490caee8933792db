import { asOwnerOf, isOlder, recording } from "../../changes/audit-query.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";
import { mutant, mutantsOf, onEach, onPath, onStatus, type Body, type Change } from "../../changes/mutant.ts";
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

/** Records events of a type with other fields. */
const recordingAs = (type: EventType, fields: Partial<NewUsageEvent>): Change =>
  recording((event) => (event.event_type === type ? fields : {}));

/** Mutants of the usage events in every read. */
export const mutants = [
  ...mutantsOf({
    "USAG-15": { "shows no execution_outcome": onItems({ execution_outcome: null }) },
    "USAG-20": {
      "returns settled_amount_credits as a negative number": onItems({
        settled_amount_credits: (old: unknown) => -Number(old) - 1,
      }),
    },
    "USAG-03": {
      "records a Discover as an Inspect": recordingAs("search", { event_type: "search_by_ids" }),
    },
    "USAG-04": {
      "records an Inspect as a Discover": recordingAs("search_by_ids", { event_type: "search" }),
    },
    "USAG-07": {
      "records a different execution_id from the one it returns": onItems({
        execution_id: (old: unknown) => old && `${String(old)}x`,
      }),
    },
    "USAG-08": {
      "forgets the session_id of a Call": recordingAs("tool_execute", { session_id: null }),
    },
    "USAG-09": {
      "records the session_id of a Call as its search_id": recording((event) =>
        event.event_type === "tool_execute" ? { search_id: event.session_id } : {},
      ),
    },
    "USAG-11": {
      "records the name of a tool as its id": recording((event) =>
        event.event_type === "tool_execute" ? { tool_id: event.display_target } : {},
      ),
    },
    "USAG-24": {
      "shows every event at one time, in no zone": onItems({ created_at: "2026-11-20T10:07:33" }),
    },
    "USAG-14": {
      "returns a negative duration_ms": onItems({ duration_ms: -1 }),
    },
    "USAG-16": {
      "shows a billing_rule_snapshot with twice the price": onPath(
        id,
        `${items}.*.billing_rule_snapshot.amount_credits`,
        (value) => 2 * Number(value),
      ),
    },
    "USAG-17": {
      "shows half the settled amount in settlement_result": onPath(
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
    "USAG-21": { "does not link a charged Call to its entry": onItems({ credits_ledger_entry_id: null }) },
    "USAG-22": {
      "links an event that moved no credits to a ledger entry": onItems({
        credits_ledger_entry_id: (old: unknown) => old ?? anotherId,
      }),
      "links an empty result to a ledger entry": onPath(id, `${items}.*`, (event) =>
        (event as Body)["reason_code"] === "result.empty"
          ? { ...(event as Body), credits_ledger_entry_id: anotherId }
          : event,
      ),
      "links an included event to a ledger entry": onPath(id, `${items}.*`, (event) =>
        (event as Body)["charge_outcome"] === "included"
          ? { ...(event as Body), credits_ledger_entry_id: anotherId }
          : event,
      ),
    },
    "USAG-23": {
      "links a charged Call to a ledger entry that does not exist": onItems({
        credits_ledger_entry_id: (old: unknown) => old && anotherId,
      }),
    },
    "USAG-25": {
      "dates events two days early, in no zone": onItems({
        created_at: (old: unknown) =>
          new Date(Date.parse(String(old)) - 172_800_000).toISOString().replace("Z", ""),
      }),
      "labels local time as UTC": onItems({
        created_at: (old: unknown) => new Date(Date.parse(String(old)) + 3_600_000).toISOString(),
      }),
    },
    "USAG-26": {
      "does not find an event by its id after an hour": onStatus("getUsageEvent", 200, 404, (_, { body }) =>
        isOlder((JSON.parse(body) as Body)["data"] as Body, 3_600_000),
      ),
    },
    "USAG-29": {
      "shows an event to anyone who knows its id": asOwnerOf("getUsageEvent", "id", "event_id"),
      "shows a Call to anyone who knows the id of its event": asOwnerOf(
        "getUsageEvent",
        "id",
        "event_id",
        "usage_events",
        { event_type: "tool_execute" },
      ),
    },
  }),
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
];
