import type { ClauseId } from "../../../generated/clauses.ts";
import { eventTypes } from "../../../generated/contract.ts";
import { sameCredits } from "../../judge/credits.ts";
import { isA } from "../../judge/expect.ts";
import { microsOf } from "../../judge/instant.ts";
import { creditsAt, listData, settledOf, usageEventsOf, type Row } from "../../judge/rows.ts";
import { fields, holds, about, rule, type FieldRow, type Judgement, type Rule } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The fields of a usage event, wherever it stands in a body; the contract gives most of its fields no type. */
const eventFields = (at: string): FieldRow[] => [
  ["USAG-01", `${at}.id`, ["string"], { meaning: "a UUID", is: (value) => uuid.test(String(value)) }],
  [
    "USAG-02",
    `${at}.event_type`,
    ["string"],
    {
      meaning: `one of ${eventTypes.join(", ")}`,
      is: (value) => (eventTypes as readonly unknown[]).includes(value),
    },
  ],
  ...["session_id", "search_id", "execution_id", "error_message", "billing_summary"].map((name): FieldRow => [
    "USAG-06",
    `${at}.${name}`,
    ["string", "null"],
    { optional: true },
  ]),
  [
    "USAG-24",
    `${at}.created_at`,
    ["string"],
    { meaning: "an ISO 8601 timestamp", is: (value) => microsOf(value) !== undefined },
  ],
];

const holdsData = (seen: Seen): boolean => !isFields(seen.body) || seen.body["status"] !== "failure";

/** A rule about each event of which something is known; it shows the first that breaks it. */
function eachEvent(
  seen: Seen,
  known: (event: Row) => boolean,
  kept: (event: Row) => boolean,
  expected: string,
): Judgement {
  const events = usageEventsOf(seen).filter(known);
  if (events.length === 0) return null;
  const broken = events.find((event) => !kept(event));
  return holds(broken === undefined, expected, broken);
}

/** A rule that two amounts of an event are equal, where it has both. */
const equalAmounts = (
  clause: ClauseId,
  title: string,
  pairs: readonly ((event: Row) => readonly [number | undefined, number | undefined])[],
): Rule =>
  rule(clause, title, (seen) => {
    const found = usageEventsOf(seen)
      .flatMap((event) => pairs.map((pair) => pair(event)))
      .filter((pair): pair is [number, number] => !pair.includes(undefined));
    if (found.length === 0) return null;
    const unequal = found.find(([one, other]) => !sameCredits(one, other));
    return holds(unequal === undefined, "equal amounts", unequal);
  });

/** The usage events, and the list of them. */
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
      ["USAG-32", "data.total", ["integer"], { meaning: "at least 0", is: (value) => Number(value) >= 0 }],
      ...eventFields("data.items.*"),
    ]),
    ...fields(
      "getUsageEvent",
      200,
      // The envelope alone may say that there is no such event.
      eventFields("data").map(([clause, path, types, more]) => [
        clause,
        path,
        types,
        { ...more, when: holdsData },
      ]),
    ),
    rule("USAG-12", "success of a Call's event is a boolean", (seen) =>
      eachEvent(
        seen,
        (event) => event["event_type"] === "tool_execute",
        (event) => typeof event["success"] === "boolean",
        "success true or false",
      ),
    ),
    rule("USAG-14", "duration_ms is not negative", (seen) =>
      eachEvent(
        seen,
        (event) => typeof event["duration_ms"] === "number",
        (event) => Number(event["duration_ms"]) >= 0,
        "duration_ms of at least 0",
      ),
    ),
    rule("USAG-20", "the settled amount is not negative", (seen) =>
      eachEvent(
        seen,
        (event) => settledOf(event) !== undefined,
        (event) =>
          ["settled_amount_credits", "actual_amount_credits"].every(
            (name) => (creditsAt(event, name) ?? 0) >= 0,
          ),
        "a settled amount of at least 0",
      ),
    ),
    rule("USAG-22", "an event that settled to nothing links to no ledger entry", (seen) =>
      eachEvent(
        seen,
        (event) => settledOf(event) === 0,
        (event) => (event["credits_ledger_entry_id"] ?? null) === null,
        "no credits_ledger_entry_id, or null",
      ),
    ),
    equalAmounts("USAG-17", "the settlement holds the event's settled amount", [
      (event) => [creditsAt(event["settlement_result"], "settled_amount_credits"), settledOf(event)],
    ]),
    equalAmounts("USAG-19", "the two names of an amount hold equal values", [
      (event) => [
        creditsAt(event, "pre_settlement_amount_credits"),
        creditsAt(event, "requested_amount_credits"),
      ],
      (event) => [creditsAt(event, "settled_amount_credits"), creditsAt(event, "actual_amount_credits")],
    ]),
    rule("USAG-01", "no event is listed twice on a page", (seen) => {
      const ids = listData(seen, "listUsage")?.items.map((event) =>
        isFields(event) ? event["id"] : undefined,
      );
      if (ids === undefined || ids.length < 2) return null;
      return holds(new Set(ids).size === ids.length, "each id once", ids);
    }),
    rule("USAG-31", "items are listed newest first", (seen) => {
      const events = listData(seen, "listUsage") === null ? [] : usageEventsOf(seen);
      const times = events.map((event) => microsOf(event["created_at"]));
      if (times.length < 2 || times.includes(undefined)) return null;
      const early = times.findIndex((time, index) => index > 0 && time! > times[index - 1]!);
      return holds(early < 0, "each created_at no later than the one before", events[early]);
    }),
    rule("USAG-33", "a page holds no more than page_size items", (seen) => {
      const data = listData(seen, "listUsage");
      if (data === null || data.items.length === 0 || !isA(data["page_size"], "integer")) return null;
      const most = Number(data["page_size"]);
      return holds(data.items.length <= most, `at most ${most} items`, data.items.length);
    }),
    rule("USAG-34", "summary is an object when it is asked for, else null", (seen) => {
      const data = listData(seen, "listUsage");
      const asked = seen.query.get("summary") ?? "false";
      if (data === null || !["true", "false"].includes(asked)) return null;
      return asked === "true"
        ? holds(isFields(data["summary"]), "an object in summary", data["summary"])
        : holds((data["summary"] ?? null) === null, "summary null", data["summary"]);
    }),
    rule("USAG-45", "without include_details no item carries the stored request and answer", (seen) => {
      const data = listData(seen, "listUsage");
      if (data === null || !["false", null].includes(seen.query.get("include_details"))) return null;
      return eachEvent(
        seen,
        () => true,
        (event) => (event["request_payload"] ?? event["response_payload_summary"] ?? null) === null,
        "neither request_payload nor response_payload_summary",
      );
    }),
  ],
);
