import { largestSample } from "../../../generated/contract.ts";
import { dataOf, has, observe, rowsOf, type Observer } from "../../judge/observer.ts";
import { memberOf, type Seen } from "../../judge/seen.ts";

const further = ["kind", "api_key", "credential_type", "model", "query", "billable_success"];

const eventsOf = (seen: Seen): unknown[] =>
  seen.operation === "getUsageEvent" ? [dataOf(seen)].filter((event) => event !== undefined) : rowsOf(seen);

export const observers: readonly Observer[] = [
  observe("R-087", ["listUsage", "getUsageEvent"], (seen) => {
    const events = eventsOf(seen);
    if (events.length === 0) return null;
    return events.every((event) => has(event, ...further)) ? "reference" : "other";
  }),
  observe("R-088", "listUsage", ({ query, status, body }) => {
    if (!(Number(query.get("limit")) > largestSample)) return null;
    const size = memberOf(memberOf(body, "data"), "page_size");
    return status === 200 && size === largestSample
      ? "clamped"
      : status === 400 || status === 422
        ? "refused"
        : null;
  }),
  observe("R-092", ["listUsage", "listLedger"], (seen) => {
    const [start, end] = ["start_date", "end_date"].map((name) => Date.parse(seen.query.get(name) ?? ""));
    if (!(start! > end!)) return null;
    if (seen.status === 400 || seen.status === 422) return "refused";
    return seen.status === 200 && rowsOf(seen).length === 0 ? "nothing" : null;
  }),
  observe("R-099", ["listUsage", "getUsageEvent"], (seen) => {
    const calls = eventsOf(seen).filter((event) => memberOf(event, "event_type") === "tool_execute");
    if (calls.length === 0) return null;
    const both = ["pre_settlement_amount_credits", "requested_amount_credits"];
    return calls.every((event) => has(event, ...both)) ? "both" : "one";
  }),
  observe("R-100", ["listUsage", "getUsageEvent"], (seen) => {
    const amounts = eventsOf(seen)
      .filter((event) => memberOf(event, "charge_outcome") === "failed_not_charged")
      .map((event) => memberOf(event, "pre_settlement_amount_credits"));
    return amounts.some((amount) => typeof amount === "number" && amount > 0) ? "list_price" : null;
  }),
  observe("R-110", ["getUsageEvent"], (seen) => {
    const bill = memberOf(dataOf(seen), "pre_settlement_bill");
    if (bill === undefined || bill === null) return null;
    return Array.isArray(bill) ? "list" : typeof bill === "object" ? "object" : "other";
  }),
];
