import type { Kind } from "../../judge/expect.ts";
import { microsOf } from "../../judge/instant.ts";
import { fields, holds, about, rule, type FieldRow, type Rule } from "../../judge/rule.ts";
import { isFields, valuesAt, type Seen } from "../../judge/seen.ts";

type Fields = Record<string, unknown>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const eventTypes = ["search", "search_by_ids", "tool_execute", "capabilities_query", "model_call"];

const text: readonly Kind[] = ["string", "null"];
const amount: readonly Kind[] = ["number", "null"];
const structure: readonly Kind[] = ["object", "null"];
const available = { optional: true };
const notNegative = { meaning: "at least 0", is: (value: unknown) => Number(value) >= 0 };
const timestamp = {
  meaning: "an ISO 8601 timestamp",
  is: (value: unknown) => microsOf(value) !== undefined,
};

/** The fields of one usage event, wherever it stands in a body. */
const eventFields = (at: string): FieldRow[] => [
  [
    "USAG-01",
    `${at}.id`,
    ["string"],
    { meaning: "a UUID", is: (value) => typeof value === "string" && uuid.test(value) },
  ],
  [
    "USAG-02",
    `${at}.event_type`,
    ["string"],
    {
      meaning: `one of ${eventTypes.join(", ")}`,
      is: (value) => typeof value === "string" && eventTypes.includes(value),
    },
  ],
  // What the origin is known by there may be a number.
  ["USAG-06", `${at}.source_ref_id`, ["string", "number", "null"], available],
  ...[
    "source_system",
    "source_ref_type",
    "session_id",
    "search_id",
    "execution_id",
    "error_message",
    "billing_snapshot_status",
    "display_target",
    "billing_summary",
  ].map((name): FieldRow => ["USAG-06", `${at}.${name}`, text, available]),
  ["USAG-14", `${at}.duration_ms`, ["number", "null"], { ...available, ...notNegative }],
  ...["execution_outcome", "billing_rule_snapshot", "pre_settlement_bill", "settlement_result"].map(
    (name): FieldRow => ["USAG-15", `${at}.${name}`, structure, available],
  ),
  ["USAG-20", `${at}.settled_amount_credits`, amount, { ...available, ...notNegative }],
  ["USAG-20", `${at}.actual_amount_credits`, amount, { ...available, ...notNegative }],
  ["USAG-24", `${at}.created_at`, ["string"], timestamp],
];

/** The data of a successful list; null of any other exchange. */
const listData = (seen: Seen): Fields | null =>
  seen.operation === "listUsage" &&
  seen.status === 200 &&
  isFields(seen.body) &&
  isFields(seen.body["data"]) &&
  Array.isArray(seen.body["data"]["items"])
    ? seen.body["data"]
    : null;

const holdsData = (seen: Seen): boolean => !isFields(seen.body) || seen.body["status"] !== "failure";

const eventsOf = (seen: Seen): Fields[] => {
  const path = { listUsage: "data.items.*", getUsageEvent: "data" }[seen.operation as string];
  if (path === undefined || seen.status !== 200) return [];
  return valuesAt(seen.body, path)
    .map(({ value }) => value)
    .filter(isFields);
};

const settledOf = (event: Fields): unknown =>
  event["settled_amount_credits"] ?? event["actual_amount_credits"];

/** The pairs of values under two names, on events on which both are numbers. */
const pairs = (seen: Seen, one: string, other: string): [number, number][] =>
  eventsOf(seen)
    .map((event) => [valuesAt(event, one)[0]!.value, valuesAt(event, other)[0]!.value])
    .filter((pair): pair is [number, number] => pair.every((value) => typeof value === "number"));

const agree = (seen: Seen, names: [string, string][]) => {
  const all = names.flatMap(([one, other]) => pairs(seen, one, other));
  if (all.length === 0) return null;
  const apart = all.find(([one, other]) => Math.abs(one - other) >= 1e-6);
  return holds(apart === undefined, "equal amounts", apart);
};

/** The usage events, and the list that they stand in. */
export const rules: readonly Rule[] = about(
  ["listUsage", "getUsageEvent"],
  [
    ...fields("listUsage", 200, [
      ["USAG-30", "data.items", ["array"]],
      [
        "USAG-30",
        "data.page",
        ["integer"],
        {
          meaning: "the page that was asked for",
          is: (value, seen) => value === Number(seen.query.get("page") ?? 1),
        },
      ],
      [
        "USAG-30",
        "data.page_size",
        ["integer"],
        { meaning: "at least 1", is: (value) => Number(value) >= 1 },
      ],
      ["USAG-32", "data.total", ["integer"], notNegative],
      ...eventFields("data.items.*"),
    ]),
    ...fields(
      "getUsageEvent",
      200,
      // An event that there is not may be told by the envelope alone.
      eventFields("data").map(([clause, path, kinds, more]) => [
        clause,
        path,
        kinds,
        { ...more, when: holdsData },
      ]),
    ),
    rule("USAG-12", "success of a Call's event is a boolean", (seen) => {
      const calls = eventsOf(seen).filter((event) => event["event_type"] === "tool_execute");
      if (calls.length === 0) return null;
      const odd = calls.find((event) => typeof event["success"] !== "boolean");
      return holds(odd === undefined, "success true or false", odd?.["success"]);
    }),
    rule("USAG-22", "an event that settled to nothing links to no ledger entry", (seen) => {
      const unmoved = eventsOf(seen).filter((event) => settledOf(event) === 0);
      if (unmoved.length === 0) return null;
      const linked = unmoved.find((event) => (event["credits_ledger_entry_id"] ?? null) !== null);
      return holds(linked === undefined, "no credits_ledger_entry_id, or null", linked);
    }),
    rule("USAG-17", "settled_amount_credits of the settlement is the event's settled amount", (seen) =>
      agree(seen, [
        ["settlement_result.settled_amount_credits", "settled_amount_credits"],
        ["settlement_result.settled_amount_credits", "actual_amount_credits"],
      ]),
    ),
    rule("USAG-19", "the two names of an amount hold equal values", (seen) =>
      agree(seen, [
        ["pre_settlement_amount_credits", "requested_amount_credits"],
        ["settled_amount_credits", "actual_amount_credits"],
      ]),
    ),
    rule("USAG-01", "no event stands twice on a page", (seen) => {
      const ids = eventsOf(seen).map((event) => event["id"]);
      if (listData(seen) === null || ids.length < 2) return null;
      return holds(new Set(ids).size === ids.length, "each id once", ids);
    }),
    rule("USAG-31", "items stand newest first", (seen) => {
      const times = eventsOf(seen).map((event) => microsOf(event["created_at"]));
      if (listData(seen) === null || times.length < 2 || times.includes(undefined)) return null;
      const early = times.findIndex((time, index) => index > 0 && time! > times[index - 1]!);
      return holds(early < 0, "each created_at no later than the one before", eventsOf(seen)[early]);
    }),
    rule("USAG-33", "items hold no more than page_size", (seen) => {
      const data = listData(seen);
      if (data === null || !Number.isInteger(data["page_size"])) return null;
      const count = (data["items"] as unknown[]).length;
      if (count === 0) return null;
      return holds(count <= Number(data["page_size"]), `at most ${String(data["page_size"])} items`, count);
    }),
    rule("USAG-34", "summary is an object when it is asked for, else null", (seen) => {
      const data = listData(seen);
      const asked = seen.query.get("summary") ?? "false";
      if (data === null || !["true", "false"].includes(asked)) return null;
      return asked === "true"
        ? holds(isFields(data["summary"]), "an object in summary", data["summary"])
        : holds((data["summary"] ?? null) === null, "summary null", data["summary"]);
    }),
    rule("USAG-45", "without include_details no item carries the stored request and answer", (seen) => {
      if (listData(seen) === null || !["false", null].includes(seen.query.get("include_details")))
        return null;
      const events = eventsOf(seen);
      if (events.length === 0) return null;
      const stored = events
        .flatMap((event) => [event["request_payload"], event["response_payload_summary"]])
        .find((value) => value !== undefined && value !== null);
      return holds(stored === undefined, "neither request_payload nor response_payload_summary", stored);
    }),
  ],
);
