import type { ClauseId } from "../../../generated/clauses.ts";
import { shown } from "../../judge/expect.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import { about, rule, type Judgement, type Rule } from "../../judge/rule.ts";

type Event = Record<string, unknown>;

export const chargeOutcomes = ["charged", "included", "failed_not_charged", "failed_charged_review"];

export const reasonCodes = [
  "result.valid",
  "result.partial_success",
  "result.empty",
  "provider.error",
  "provider.http_error",
  "provider.rate_limited",
  "provider.auth_or_permission",
  "transport.timeout",
  "transport.no_response",
  "transport.execution_failed",
  "validation_error",
  "tool_unavailable",
  "region_restricted",
  "oauth_signin_required",
];

/** Amounts that differ by no more are equal. */
const rounding = 1e-9;

function eventsOf(seen: Seen): Event[] {
  if (seen.status !== 200 || !isFields(seen.body) || !isFields(seen.body["data"])) return [];
  const { data } = seen.body;
  if (seen.operation === "getUsageEvent") return [data];
  if (seen.operation !== "listUsage" || !Array.isArray(data["items"])) return [];
  return data["items"].filter(isFields);
}

const numberOf = (event: Event, ...names: string[]): number | undefined =>
  names.map((name) => event[name]).find((value) => typeof value === "number");

/** The settled amount of an event, under either of its names; undefined where the answer shows none. */
const settledOf = (event: Event): number | undefined =>
  numberOf(event, "settled_amount_credits", "actual_amount_credits");

const requestedOf = (event: Event): number | undefined =>
  numberOf(event, "requested_amount_credits", "pre_settlement_amount_credits");

/** What the statement before settlement lists; the contract names the field in `billing`, which is its short form. */
const listedOf = ({ pre_settlement_bill: bill }: Event): number | undefined =>
  isFields(bill) ? numberOf(bill, "list_amount_credits") : undefined;

const isCall = (event: Event): boolean =>
  event["event_type"] === "tool_execute" || event["event_type"] === "capabilities_query";

/**
 * A rule about every usage event that an answer shows.
 * @param keeps null where it has nothing to say about the event
 */
const onEvents = (
  clause: ClauseId,
  title: string,
  keeps: (event: Event) => boolean | null,
  received: (event: Event) => unknown = ({ charge_outcome, reason_code, ...event }) => ({
    charge_outcome,
    reason_code,
    settled: settledOf(event),
  }),
): Rule =>
  rule(clause, title, (seen) => {
    let judged: Judgement = null;
    for (const event of eventsOf(seen)) {
      const kept = keeps(event);
      if (kept === false)
        return { expected: title, received: shown({ id: event["id"], ...Object(received(event)) }) };
      if (kept === true) judged = true;
    }
    return judged;
  });

/** A rule about the settled amount of the events of one charge outcome. */
const settles = (clause: ClauseId, outcome: string, positive: boolean): Rule =>
  onEvents(
    clause,
    `an event that is ${outcome} has ${positive ? "a positive" : "no"} settled amount`,
    (event) => {
      const settled = settledOf(event);
      if (event["charge_outcome"] !== outcome || settled === undefined) return null;
      return positive ? settled > 0 : settled === 0;
    },
  );

/** A rule about the charge outcomes of the Calls with some reason codes. */
const ends = (
  clause: ClauseId,
  title: string,
  reason: (code: string) => boolean,
  outcomes: readonly string[],
): Rule =>
  onEvents(clause, title, (event) => {
    const { reason_code: code, charge_outcome: outcome } = event;
    if (!isCall(event) || typeof code !== "string" || typeof outcome !== "string" || !reason(code))
      return null;
    return outcomes.includes(outcome);
  });

/** What holds of the money in every usage event, whoever caused it. */
export const rules: readonly Rule[] = about(
  ["listUsage", "getUsageEvent"],
  [
    onEvents("BILL-14", `charge_outcome is one of ${chargeOutcomes.join(", ")}`, (event) =>
      isCall(event) ? chargeOutcomes.includes(String(event["charge_outcome"])) : null,
    ),
    settles("BILL-15", "charged", true),
    settles("BILL-17", "included", false),
    settles("BILL-19", "failed_not_charged", false),
    settles("BILL-21", "failed_charged_review", true),
    onEvents(
      "BILL-06",
      "the settled amount is not more than the requested one",
      (event) => {
        const [settled, requested] = [settledOf(event), requestedOf(event)];
        if (!isCall(event) || settled === undefined || requested === undefined) return null;
        return settled <= requested + rounding;
      },
      (event) => ({ settled: settledOf(event), requested: requestedOf(event) }),
    ),
    onEvents(
      "BILL-07",
      "pre_settlement_bill of a successful Call, where it shows list_amount_credits, shows the requested amount",
      (event) => {
        const [listed, requested] = [listedOf(event), requestedOf(event)];
        if (!isCall(event) || event["success"] !== true || listed === undefined || requested === undefined)
          return null;
        return Math.abs(listed - requested) < 1e-6;
      },
      (event) => ({ listed: listedOf(event), requested: requestedOf(event) }),
    ),
    onEvents("BILL-24", "reason_code of a Call is one of the fourteen of the contract", (event) => {
      const code = event["reason_code"];
      return !isCall(event) || code === undefined || code === null
        ? null
        : reasonCodes.includes(String(code));
    }),
    ends("BILL-39", "a Call with result.valid is charged or included", (code) => code === "result.valid", [
      "charged",
      "included",
    ]),
    ends(
      "BILL-40",
      "a Call with result.partial_success is charged, included or failed_not_charged",
      (code) => code === "result.partial_success",
      ["charged", "included", "failed_not_charged"],
    ),
    ends(
      "BILL-41",
      "a Call with any other reason_code is failed_not_charged, or up for review",
      (code) => reasonCodes.includes(code) && code !== "result.valid" && code !== "result.partial_success",
      ["failed_not_charged", "failed_charged_review"],
    ),
  ],
);
