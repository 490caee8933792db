import type { Exchange } from "../../judge/exchange.ts";
import type { SentCall } from "../../judge/memory.ts";
import { usageEventsOf, type Row } from "../../judge/rows.ts";
import { isFields, type Seen } from "../../judge/seen.ts";

/** A Call whose outcome its client does not know. */
export interface Sought {
  /** The tool, or the capability of a query. */
  tool: string;
  search: string | null;
  session: string | null;
  /** Epoch milliseconds. */
  startedAt: number;
  /** The id of its execution; null when no answer gave it. */
  executionId: string | null;
}

/**
 * What a read of the audit shows of a Call: that it was charged, that it was not, or that there is no record of it yet.
 * Null when the read could not show it: it failed, filters it out, or ends before it.
 */
export type Shown = "charged" | "free" | "absent" | null;

/** Clocks of a client, a proxy and a server differ by less than this, in ms. */
const skewMs = 5000;

const dayMs = 86_400_000;

/** @param seen the parsed answer; null when only its status is known */
export function shownBy(exchange: Exchange, seen: Seen | null, call: Sought): Shown {
  const { operation, request, response } = exchange;
  if (response?.status !== 200 || !URL.canParse(request.url)) return null;
  const query = new URL(request.url).searchParams;
  switch (operation) {
    case "listUsage":
    case "listUsageFeed":
    case "exportUsage":
      return admitsUsage(query, call) ? inUsage(seen, query, call) : null;
    case "getUsageEvent":
      return ofEvents(seen, call);
    case "listLedger":
    case "exportLedger":
      return admitsTime(query, call) && admitsEntry(query) ? inLedger(seen, call) : null;
    default:
      return null;
  }
}

/** The charged events of a Call's tool in its search, newest first; of one without a search, those since it was sent. */
export function chargesOf(events: readonly Row[], call: Sought & Pick<SentCall, "same">): Row[] {
  const type = call.same.startsWith("capability ") ? "capabilities_query" : "tool_execute";
  return events.filter((event) => event["event_type"] === type && isCharged(event) && isOwn(event, call));
}

const isCharged = (event: Row): boolean => /^(failed_)?charged/.test(String(event["charge_outcome"]));

const admits = (given: string | null, own: string | null): boolean => !given || given === own;

function admitsUsage(query: URLSearchParams, call: Sought): boolean {
  const kind = query.get("kind") || "call";
  const type = query.get("event_type") || "tool_execute";
  return (
    kind === "call" &&
    (type === "tool_execute" || type === "capabilities_query") &&
    admits(query.get("search_id"), call.search) &&
    admits(query.get("session_id"), call.session) &&
    // Half an answer may have shown its client an id that the record lacks.
    (call.executionId === null || admits(query.get("execution_id"), call.executionId)) &&
    admitsTime(query, call)
  );
}

const admitsEntry = (query: URLSearchParams): boolean =>
  query.get("direction") !== "grant" && /^(consume_tool_execute)?$/.test(query.get("entry_type") ?? "");

function admitsTime(query: URLSearchParams, { startedAt }: Sought): boolean {
  const start = Date.parse(query.get("start_date") || "1970-01-01");
  const end = query.get("end_date") || "9999-01-01";
  const last = Date.parse(end) + (/^\d{4}-\d\d-\d\d$/.test(end) ? dayMs : 0);
  return Number(query.get("page") || 1) === 1 && start <= startedAt + skewMs && last >= startedAt - skewMs;
}

function inUsage(seen: Seen | null, query: URLSearchParams, call: Sought): Shown {
  const shown = ofEvents(seen, call);
  if (shown !== null || leavesOut(query)) return shown;
  return query.get("search_id") || query.get("execution_id") || reaches(seen, call) ? "absent" : null;
}

/** Whether the filters of a read leave out every charged Call that succeeded: then it cannot show that there is none. */
const leavesOut = (query: URLSearchParams): boolean =>
  !admits(query.get("charge_outcome"), "charged") ||
  !admits(query.get("success"), "true") ||
  !admits(query.get("billable_success"), "true") ||
  Boolean(query.get("anomaly"));

/** What events say of a Call; null when none of them is its own. */
function ofEvents(seen: Seen | null, call: Sought): Shown {
  for (const event of seen === null ? [] : usageEventsOf(seen)) {
    const id = event["execution_id"];
    const own = call.executionId === null || id == null ? isOwn(event, call) : id === call.executionId;
    if (own) return isCharged(event) ? "charged" : "free";
  }
  return null;
}

const isOwn = (event: Row, { tool, search, startedAt }: Sought): boolean =>
  (event["tool_id"] === tool || event["capability_id"] === tool || event["tool_id"] == null) &&
  (search === null || event["search_id"] === search) &&
  !(Date.parse(String(event["created_at"])) < startedAt - skewMs);

/** Whether a list, newest first, goes back to the time of a Call: its end, or an older row. */
function reaches(seen: Seen | null, { startedAt }: Sought): boolean {
  const body = seen !== null && isFields(seen.body) ? seen.body["data"] : undefined;
  if (!isFields(body) || !Array.isArray(body["items"])) return true;
  const items = body["items"].filter(isFields);
  if (typeof body["total"] !== "number" || body["total"] <= items.length) return true;
  return items.some(({ created_at: at }) => Date.parse(String(at)) <= startedAt);
}

function inLedger(seen: Seen | null, call: Sought): Shown {
  const data = seen !== null && isFields(seen.body) ? seen.body["data"] : undefined;
  const items = isFields(data) && Array.isArray(data["items"]) ? data["items"].filter(isFields) : [];
  const consumed = items.some(
    ({ amount_credits: amount, created_at: at }) =>
      typeof amount === "number" && amount < 0 && Date.parse(String(at)) >= call.startedAt - skewMs,
  );
  if (consumed) return "charged";
  return reaches(seen, call) ? "absent" : null;
}
