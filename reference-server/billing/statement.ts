import type { ReasonCode } from "../../generated/contract.ts";
import type { BillingRule } from "./rule.ts";
import type { Bill, Execution, Settlement } from "../parts.ts";
import type { NewUsageEvent } from "../records.ts";
import { credits, type Micro } from "./money.ts";
import { inCredits } from "./price.ts";

/** The billing fields of a usage event. */
export type MoneyFields = Pick<
  NewUsageEvent,
  | "billable_success"
  | "charge_outcome"
  | "reason_code"
  | "billing_snapshot_status"
  | "billing_rule_snapshot"
  | "pre_settlement_bill"
  | "settlement_result"
  | "billing_unit"
  | "unit_price"
  | "quantity"
  | "list_amount"
  | "requested_amount"
  | "settled_amount"
  | "billing_summary"
>;

/** The event of an execution whose process dies; the books write it when they void the hold. */
export const interrupted: Execution = {
  reason: "transport.execution_failed",
  success: false,
  statusCode: null,
  message: "The server process ended before the outcome of this call was known. Nothing was charged.",
  quantity: 0,
  durationMs: 0,
};

const because: Readonly<Record<ReasonCode, string>> = {
  "result.valid": "the result was valid",
  "result.partial_success": "the result was only partial",
  "result.empty": "the result was empty",
  "provider.error": "the provider reported an error",
  "provider.http_error": "the provider answered with an HTTP error",
  "provider.rate_limited": "the provider limited the rate",
  "provider.auth_or_permission": "the provider refused access",
  "transport.timeout": "the provider did not answer in time",
  "transport.no_response": "the provider did not answer",
  "transport.execution_failed": "the execution failed",
  validation_error: "the parameters were not valid",
  tool_unavailable: "the tool was not available",
  region_restricted: "the tool is not available in this region",
  oauth_signin_required: "the tool needs an OAuth sign-in",
};

/** `billing_summary`: one line for people; programs read `charge_outcome` and `reason_code`. */
export function billingSummary({ chargeOutcome, amount, reason }: Settlement, bill: Bill | null): string {
  switch (chargeOutcome) {
    case "charged":
      return `Charged ${bill !== null && bill.listAmount === amount ? bill.summary : inCredits(amount)}`;
    case "included":
      return bill !== null && bill.listAmount > 0
        ? `Included: the list price of ${inCredits(bill.listAmount)} was not charged`
        : "Included: free of charge";
    case "failed_not_charged":
      return `Not charged: ${because[reason]}`;
    case "failed_charged_review":
      return `Charged ${inCredits(amount)} although ${because[reason]}; up for review`;
  }
}

/** The statement before settlement, as stored with the event and its ledger entry. */
const billSnapshot = (bill: Bill): Record<string, string | number> => ({
  summary: bill.summary,
  list_amount_credits: credits(bill.listAmount),
  unit: bill.unit,
  unit_price_credits: credits(bill.unitPrice),
  quantity: bill.quantity,
});

/** The final settlement, as stored with the event and its ledger entry. */
const settlementSnapshot = (settlement: Settlement): Record<string, string | number> => ({
  settled_amount_credits: credits(settlement.amount),
  charge_outcome: settlement.chargeOutcome,
  reason_code: settlement.reason,
});

/** The fields of a priced request: rule and bill as of request time, and the settlement. */
export const priced = (rule: BillingRule, bill: Bill, settlement: Settlement): MoneyFields => ({
  billable_success: settlement.billableSuccess,
  charge_outcome: settlement.chargeOutcome,
  reason_code: settlement.reason,
  billing_snapshot_status: "captured",
  billing_rule_snapshot: rule,
  pre_settlement_bill: billSnapshot(bill),
  settlement_result: settlementSnapshot(settlement),
  billing_unit: bill.unit,
  unit_price: bill.unitPrice,
  quantity: bill.quantity,
  list_amount: bill.listAmount,
  requested_amount: bill.listAmount,
  settled_amount: settlement.amount,
  billing_summary: billingSummary(settlement, bill),
});

/** The fields of a request at a fixed price, with `what` for people; included if it is free. */
export function fixedPrice(amount: Micro, what: string): MoneyFields {
  const bill: Bill = {
    summary: `${inCredits(amount)}: ${what}`,
    unit: "request",
    unitPrice: amount,
    quantity: 1,
    listAmount: amount,
  };
  const chargeOutcome = amount > 0 ? "charged" : "included";
  const settlement: Settlement = { billableSuccess: true, amount, chargeOutcome, reason: "result.valid" };
  return priced({ unit: "request", amount_credits: credits(amount) }, bill, settlement);
}

/**
 * The fields of a request without a price: a free Discover or Inspect (`result.valid`), a Call of an unknown tool
 * (`tool_unavailable`).
 */
export function unpriced(reason: ReasonCode): MoneyFields {
  const billableSuccess = reason === "result.valid";
  const settlement: Settlement = {
    billableSuccess,
    amount: 0,
    chargeOutcome: billableSuccess ? "included" : "failed_not_charged",
    reason,
  };
  return {
    billable_success: billableSuccess,
    charge_outcome: settlement.chargeOutcome,
    reason_code: reason,
    billing_snapshot_status: "not_applicable",
    billing_rule_snapshot: null,
    pre_settlement_bill: null,
    settlement_result: settlementSnapshot(settlement),
    billing_unit: null,
    unit_price: null,
    quantity: null,
    list_amount: null,
    requested_amount: 0,
    settled_amount: 0,
    billing_summary: billingSummary(settlement, null),
  };
}

/**
 * The compact `billing` of a Call's answer: the statement before settlement, or zero if nothing is billed (contract:
 * Call; open point "Amounts").
 */
export const compactBilling = (
  bill: Bill,
  billed: boolean,
): { summary: string; list_amount_credits: number } =>
  billed
    ? { summary: bill.summary, list_amount_credits: credits(bill.listAmount) }
    : { summary: "0 credits: no usable result", list_amount_credits: 0 };
