import type { ClauseId } from "../../../generated/clauses.ts";
import {
  chargeOutcomeMeanings,
  chargeOutcomes,
  reasonCodeChargeOutcomes,
  reasonCodes,
  type ChargeOutcome,
} from "../../../generated/contract.ts";
import { clausesOf, isOfCall } from "../../books/writes.ts";
import { atMostCredits, sameCredits } from "../../judge/credits.ts";
import { shown } from "../../judge/expect.ts";
import { creditsAt, requestedOf, settledOf, usageEventsOf, type Row } from "../../judge/rows.ts";
import { about, rule, type Judgement, type Rule } from "../../judge/rule.ts";

/** The fields of the statement before settlement; the contract names its field in `billing`, the short form. */
const listedOf = ({ pre_settlement_bill: bill }: Row): number | undefined =>
  creditsAt(bill, "list_amount_credits");

/**
 * A rule about every usage event in an answer.
 * @param keeps null when it does not apply to the event
 */
const onEvents = (
  clause: ClauseId,
  title: string,
  keeps: (event: Row) => boolean | null,
  received: (event: Row) => unknown = ({ charge_outcome, reason_code, ...event }) => ({
    charge_outcome,
    reason_code,
    settled: settledOf(event),
  }),
): Rule =>
  rule(clause, title, (seen) => {
    let judged: Judgement = null;
    for (const event of usageEventsOf(seen)) {
      const kept = keeps(event);
      if (kept === false)
        return { expected: title, received: shown({ id: event["id"], ...Object(received(event)) }) };
      if (kept === true) judged = true;
    }
    return judged;
  });

/** A rule about the settled amount of the events of one charge outcome. */
function settles(outcome: ChargeOutcome): Rule {
  const positive = chargeOutcomeMeanings[outcome].positiveAmount;
  return onEvents(
    clausesOf[outcome].amount,
    `an event that is ${outcome} has ${positive ? "a positive" : "no"} settled amount`,
    (event) => {
      const settled = settledOf(event);
      if (event["charge_outcome"] !== outcome || settled === undefined) return null;
      return positive ? settled > 0 : settled === 0;
    },
  );
}

/** A rule about the charge outcomes of the Calls with some reason codes. */
const ends = (
  clause: ClauseId,
  title: string,
  reason: (code: string) => boolean,
  outcomes: readonly string[],
): Rule =>
  onEvents(clause, title, (event) => {
    const { reason_code: code, charge_outcome: outcome } = event;
    if (!isOfCall(event) || typeof code !== "string" || typeof outcome !== "string" || !reason(code))
      return null;
    return outcomes.includes(outcome);
  });

/** The rules about amounts in every usage event, whatever caused it. */
export const rules: readonly Rule[] = about(
  ["listUsage", "getUsageEvent"],
  [
    onEvents("BILL-14", `charge_outcome is one of ${chargeOutcomes.join(", ")}`, (event) =>
      // Before it has settled, an event may have none.
      isOfCall(event) && (event["charge_outcome"] ?? null) !== null
        ? (chargeOutcomes as readonly unknown[]).includes(event["charge_outcome"])
        : null,
    ),
    ...chargeOutcomes.map(settles),
    onEvents(
      "BILL-06",
      "the settled amount is not more than the requested one",
      (event) => {
        const [settled, requested] = [settledOf(event), requestedOf(event)];
        if (!isOfCall(event) || settled === undefined || requested === undefined) return null;
        // A failed Call may have requested nothing, and its charge is under review.
        if (event["charge_outcome"] === "failed_charged_review") return null;
        return atMostCredits(settled, requested);
      },
      (event) => ({ settled: settledOf(event), requested: requestedOf(event) }),
    ),
    onEvents(
      "BILL-07",
      "pre_settlement_bill of a successful Call, where it shows list_amount_credits, shows the requested amount",
      (event) => {
        const [listed, requested] = [listedOf(event), requestedOf(event)];
        if (!isOfCall(event) || event["success"] !== true || listed === undefined || requested === undefined)
          return null;
        return sameCredits(listed, requested);
      },
      (event) => ({ listed: listedOf(event), requested: requestedOf(event) }),
    ),
    onEvents("BILL-24", "reason_code of a Call is one of the fourteen of the contract", (event) => {
      const code = event["reason_code"];
      return !isOfCall(event) || code === undefined || code === null
        ? null
        : (reasonCodes as readonly unknown[]).includes(code);
    }),
    ends(
      "BILL-39",
      "a Call with result.valid is charged or included",
      (code) => code === "result.valid",
      reasonCodeChargeOutcomes["result.valid"],
    ),
    ends(
      "BILL-40",
      "a Call with result.partial_success is charged, included or failed_not_charged",
      (code) => code === "result.partial_success",
      reasonCodeChargeOutcomes["result.partial_success"],
    ),
    ends(
      "BILL-41",
      "a Call with any other reason_code is failed_not_charged, or up for review",
      (code) =>
        (reasonCodes as readonly string[]).includes(code) &&
        code !== "result.valid" &&
        code !== "result.partial_success",
      ["failed_not_charged", "failed_charged_review"],
    ),
  ],
);
