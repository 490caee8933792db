import {
  asJson,
  asking,
  misread,
  onAny,
  recording,
  refusing,
  withoutNames,
} from "../../changes/audit-query.ts";
import {
  onAnswers,
  onPart,
  onPath,
  together,
  variation,
  variationsOf,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import type { OperationId } from "../../../generated/contract.ts";

const noType = (name: string): string => `Usage event: ${name}, its type is not given`;
const eventPaths = { listUsage: "data.items.*", getUsageEvent: "data" } as const;

/** Changes every usage event, in the list and by its id. */
export const onEvents = (change: (event: Body) => Body): Change =>
  together(
    ...Object.entries(eventPaths).map(([operation, path]) =>
      onPath(operation as OperationId, path, (event) =>
        event === null ? null : { ...(event as Body), ...change(event as Body) },
      ),
    ),
  );

const amountNames = [
  "settled_amount_credits",
  "actual_amount_credits",
  "requested_amount_credits",
  "pre_settlement_amount_credits",
];

/** The fields of an event, each changed in the same way. */
const each = (names: readonly string[], change: (value: unknown) => unknown): Change =>
  onEvents((event) => Object.fromEntries(names.map((name) => [name, change(event[name])])));

/** Operations that take `start_date` and `end_date`. */
const dated: readonly OperationId[] = [
  "listUsage",
  "listUsageFeed",
  "exportUsage",
  "listLedger",
  "exportLedger",
  "getCreditsSpent",
  "listSettlements",
];

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** Changes the dates of every query. */
const onDates = (change: (date: string, end: boolean) => string): Change => ({
  operations: (operations) =>
    dated.reduce(
      (changed, id) =>
        asking(id, (query) => ({
          ...query,
          ...Object.fromEntries(
            ["start_date", "end_date"]
              .filter((name) => typeof query[name] === "string")
              .map((name) => [name, change(String(query[name]), name === "end_date")]),
          ),
        })).operations!(changed),
      operations,
    ),
});

/** Days start at midnight in another zone. */
const countingDaysAt = (zone: string): Change =>
  onDates((date, end) =>
    dateOnly.test(date) ? `${date}T${end ? "23:59:59.999" : "00:00:00.000"}${zone}` : date,
  );

const wallShiftMs = 8 * 3_600_000;

/** Timestamps of account reads, and of queries, are local time at +08:00 without saying so. */
const inWallTime = ({ operations }: Change): Change => ({
  operations: operations!,
  ...onAnswers(
    ({ path }, { status, headers }) =>
      status === 200 && /\/auth\//.test(path) && (headers["content-type"] ?? "").includes("json"),
    (answer) => ({
      ...answer,
      body: answer.body.replace(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z"/g, (_, text: string) => {
        const shifted = new Date(Date.parse(`${text}Z`) + wallShiftMs).toISOString();
        return `"${shifted.replace("Z", "")}"`;
      }),
    }),
  ),
});

const refusedAs400 = (operations: readonly OperationId[]): Change =>
  onAnswers(
    ({ operation }, { status }) => status === 422 && operation !== null && operations.includes(operation),
    withBody(400, { status: "failure", message: "invalid query", status_code: -7, data: null }),
  );

/** Records an additional event with each Discover. */
const withDiscover = (change: (event: Body) => Body): Change =>
  onPart("books", (books) => ({
    ...books,
    record: async (event) => {
      const recorded = await books.record(event);
      if (event.event_type === "search") {
        await books.record({ ...event, ...(change(event as unknown as Body) as Partial<typeof event>) });
      }
      return recorded;
    },
  }));

const isCall = ({ event_type: type }: Body): boolean =>
  type === "tool_execute" || type === "capabilities_query";

/** Time a Call takes to settle, in milliseconds. */
const lagMs = 300;

const isYoung = ({ created_at: at }: Body): boolean => Date.now() - Date.parse(String(at)) < lagMs;

/** What is unknown about a Call before it has settled. */
const unsettled = Object.fromEntries(
  [
    ...amountNames,
    "charge_outcome",
    "reason_code",
    "settlement_result",
    "credits_ledger_entry_id",
    "execution_outcome",
  ].map((name) => [name, null]),
);

/** Lawful usage events and lists that the reference server does not give. */
export const variations = [
  ...variationsOf({
    [noType("request_payload, response_payload_summary")]: {
      "shows request and response payloads as strings": each(
        ["request_payload", "response_payload_summary"],
        (value) => value && JSON.stringify(value),
      ),
    },
    "settled_amount_credits / actual_amount_credits | Settled/effective credits": {
      "shows effective credits that differ from the settled ones": onEvents(
        ({ actual_amount_credits: amount }) => ({
          actual_amount_credits: typeof amount === "number" ? amount / 2 : amount,
        }),
      ),
    },
    "id | Event id (UUID for lookup by id): a UUID in either case": {
      "writes event ids in upper case": {
        ...onEvents(({ id }) => ({ id: String(id).toUpperCase() })),
        ...onAny("getUsageEvent", (operation) => (request, context) => {
          const { event_id: id } = request.params as { event_id: string };
          return operation({ ...request, params: { event_id: id.toLowerCase() } }, context);
        }),
      },
    },
    "created_at | Timestamp (ISO 8601); items (array, reverse chronological)": {
      "writes created_at of events in whole seconds and orders events of the same second arbitrarily": onPath(
        "listUsage",
        "data.items",
        (items) => {
          const list = (items as Body[]).map((item) => ({
            ...item,
            created_at: String(item["created_at"]).replace(/\.\d+/, ""),
          }));
          const groups = Map.groupBy(list, ({ created_at: at }) => at);
          return [...groups.values()].flatMap((group) => group.toReversed());
        },
      ),
    },
    "created_at | Timestamp (ISO 8601): the basic format is one of its two": {
      "writes created_at of events in the basic ISO 8601 format and accepts dates in both formats": {
        ...onEvents(({ created_at: at }) => ({ created_at: String(at).replace(/[-:]/g, "") })),
        inward: ({ query }) => {
          const basic = /^(\d{4})(\d\d)(\d\d)(T\d\d)(\d\d)(\d\d)/;
          const extended = new URLSearchParams();
          for (const [name, text] of query) extended.append(name, text.replace(basic, "$1-$2-$3$4:$5:$6"));
          return { query: extended };
        },
      },
    },
    "created_at | Timestamp (ISO 8601)": {
      "writes created_at without a time zone": onEvents(({ created_at: at }) => ({
        created_at: String(at).replace("Z", ""),
      })),
    },
    "Timestamp (ISO 8601); start_date | YYYY-MM-DD or ISO 8601 datetime": {
      "writes and reads timestamps without a time zone in its local time": inWallTime(
        onDates((date) => (/T[^Z+]*$/.test(date) && !/[-+]\d\d:?\d\d$/.test(date) ? `${date}+08:00` : date)),
      ),
    },
    "start_date | YYYY-MM-DD or ISO 8601 datetime: whether that needs a zone is not stated": {
      "refuses a datetime without a time zone": refusing(
        "listUsage",
        (query) => /T[\d:.]+$/.test(query.get("start_date") ?? ""),
        400,
      ),
    },
    "start_date | YYYY-MM-DD or ISO 8601 datetime: whether the instant belongs to the window is not stated": {
      "excludes the exact instants of start_date and end_date": onDates((date, end) =>
        String(misread.shifted(end ? -1 : 1)(date)),
      ),
    },
    "Usage audit and ledger queries | 400 | Invalid query": {
      "answers every invalid query with 400 and status_code -7": refusedAs400([...dated, "getUsageEvent"]),
    },
    "One usage event; `event_id` UUID: it is both invalid and unknown": {
      "treats an event_id that is not a UUID as unknown": onAnswers(
        ({ operation }, { status }) => operation === "getUsageEvent" && status === 422,
        withBody(404, { status: "failure", message: "There is none.", data: null }),
      ),
    },
    "limit | integer | 1-50; `limit` overrides it and is capped at 50": {
      "refuses a limit above 50": onAnswers(
        ({ operation, query }) =>
          (operation === "listUsage" || operation === "listLedger") && Number(query.get("limit")) > 50,
        withBody(422, { detail: [] }),
      ),
    },
    "event_type, kind, charge_outcome, anomaly: how another value is answered is not stated": {
      "returns nothing for an unknown filter value": onAnswers(
        ({ query, operation }, { status }) =>
          status === 422 &&
          ["listUsage", "listUsageFeed"].includes(operation ?? "") &&
          [...query.values()].includes("no_such_value"),
        withBody(200, {
          status: "success",
          message: "ok",
          status_code: 0,
          data: {
            items: [],
            total: 0,
            page: 1,
            page_size: 50,
            summary: null,
            next_cursor: null,
            has_more: false,
          },
        }),
      ),
    },
    "search (Discover): the contract does not say how many events a search has": {
      "records two usage events for each Discover": withDiscover(() => ({})),
    },
    "The service stores usage events (types …, `model_call`)": {
      "records a usage event for the model that a Discover uses": withDiscover(() => ({
        event_type: "model_call",
        kind: "model",
        search_id: null,
        session_id: null,
      })),
    },
    "include_details | Default false; returns full audit detail fields in the list": {
      "shows no event details except the request and response payloads": onEvents((event) =>
        withoutDetails(event),
      ),
    },
    "session_id | If omitted the service may use the execution id": {
      "records the execution_id as session_id when none is given": recording((event) => ({
        session_id: event.session_id ?? event.execution_id,
      })),
    },
    "include_details | boolean | Default false; returns full audit detail fields in the list": {
      "lists only the ids, outcome and amounts of events unless details are requested": onAnswers(
        ({ operation, query }, { status }) =>
          operation === "listUsage" && status === 200 && query.get("include_details") !== "true",
        (answer) => {
          const body = JSON.parse(answer.body) as { data: { items: Body[] } };
          body.data.items = body.data.items.map((item) => withoutNames(item, detailNames));
          return { ...answer, body: JSON.stringify(body) };
        },
      ),
    },
    "anomaly | string | failed_charged_review, missing_ledger_link, missing_billing_snapshot": {
      "treats every event without a ledger entry as missing its link": together(
        ...(["listUsage", "listUsageFeed", "exportUsage"] as const).map((id) =>
          asking(id, ({ anomaly, ...query }) =>
            anomaly === "missing_ledger_link"
              ? { ...query, charge_outcome: "included" }
              : { ...query, anomaly },
          ),
        ),
      ),
    },
    "error_message | Error detail when available": {
      "shortens error messages in the usage list": onPath("listUsage", "data.items.*", (event) => {
        const { error_message: message, ...rest } = event as Body;
        return { ...rest, error_message: typeof message === "string" ? message.slice(0, 12) : message };
      }),
    },
    "audit_lag: the contract promises no instant for usage and ledger rows": {
      "shows the usage event of a Call before the Call has settled": onEvents((event) =>
        isCall(event) && isYoung(event) ? unsettled : {},
      ),
    },
    "credential_type | string, max 32 characters | Credential type": {
      "refuses an unknown credential_type": onAnswers(
        ({ query }, { status }) =>
          status === 200 && query.has("credential_type") && query.get("credential_type") !== "api_key",
        (answer) => withBody(422, { detail: [] })(asJson(answer)),
      ),
    },
    "bucket | string | `hour`, `day`, `week`": {
      "accepts a bucket in any letter case": {
        inward: ({ query }) => {
          if (!query.has("bucket")) return null;
          const lower = new URLSearchParams(query);
          lower.set("bucket", query.get("bucket")!.toLowerCase());
          return { query: lower };
        },
      },
    },
  }),
  ...["+08:00", "-11:00", "+14:00"].map((zone) =>
    variation(
      `counts days in the time zone ${zone}`,
      "a date alone expands to the end of that day: the zone of days is not stated",
      countingDaysAt(zone),
    ),
  ),
];

const detailNames = [
  "source_system",
  "source_ref_type",
  "source_ref_id",
  "error_message",
  "duration_ms",
  "execution_outcome",
  "billing_rule_snapshot",
  "pre_settlement_bill",
  "settlement_result",
  "billing_snapshot_status",
  "display_target",
  "billing_summary",
];

const withoutDetails = (event: Body): Body =>
  Object.fromEntries(
    ["execution_outcome", "billing_rule_snapshot", "pre_settlement_bill", "settlement_result"]
      .filter((name) => name in event)
      .map((name) => [name, undefined]),
  );
