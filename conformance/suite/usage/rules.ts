import type { ClauseId } from "../../../generated/clauses.ts";
import { sameCredits } from "../../judge/credits.ts";
import { creditsAt, eachOf, listData, settledOf, usageEventsOf, type Row } from "../../judge/rows.ts";
import { holds, about, rule, type Rule } from "../../judge/rule.ts";
import { pageRules } from "../list.rules.ts";

const eachEvent = eachOf(usageEventsOf);

/** A rule that two amounts of an event are equal, if it has both. */
const equalAmounts = (
  clause: ClauseId,
  title: string,
  pairs: readonly ((event: Row) => readonly [number | undefined, number | undefined])[],
): Rule =>
  rule(clause, title, (seen) => {
    const events = usageEventsOf(seen)
      .flatMap((event) => pairs.map((pair) => pair(event)))
      .filter((pair): pair is [number, number] => !pair.includes(undefined));
    if (events.length === 0) return null;
    const unequal = events.find(([one, other]) => !sameCredits(one, other));
    return holds(unequal === undefined, "equal amounts", unequal);
  });

/** What usage events and their list mean; the types of their fields follow from the spec. */
export const rules: readonly Rule[] = about(
  ["listUsage", "getUsageEvent"],
  [
    ...pageRules("listUsage", {
      asked: ["USAG-30", "page is the page that was asked for"],
      once: ["USAG-01", "no event is listed twice on a page"],
      order: ["USAG-31", "items are listed newest first"],
      size: ["USAG-33", "a page holds no more than page_size items"],
    }),
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
        // An event that a review has found uncharged may keep the link to its entry, which never changes.
        (event) => settledOf(event) === 0 && event["charge_outcome"] !== "failed_not_charged",
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
