import type { Bill, Execution, Pricing, Settlement } from "../parts.ts";
import { credits, micro } from "./money.ts";
import type { Micro } from "./money.ts";
import { chargeOutcome, reasons } from "./outcome.ts";
import type { BillingRule, Priced } from "./rule.ts";

const free: BillingRule = { unit: "request", amount_credits: 0 };

/** The billing rule of a tool: its own, else its legacy cost per request, else free. */
export const ruleOf = (tool: Priced): BillingRule =>
  tool.billing_rule ?? (tool.cost === undefined ? free : { unit: "request", amount_credits: tool.cost });

/** An amount as text: `1 credit`, `0.25 credits`. */
export const inCredits = (amount: Micro): string => {
  const number = credits(amount);
  return `${number} ${number === 1 ? "credit" : "credits"}`;
};

const exact = (amount: number): Micro => {
  if (!Number.isSafeInteger(amount))
    throw new RangeError(`a price of ${amount} micro-credits is beyond what is exact`);
  return amount;
};

const priceOf = (rule: BillingRule, quantity: number): Micro =>
  Math.max(exact(quantity * micro(rule.amount_credits)), micro(rule.minimum_credits ?? 0));

const maxUnits = (tool: Priced, rule: BillingRule): number => {
  if (rule.unit === "request") return 1;
  if (rule.max_units === undefined) {
    throw new RangeError(
      `tool ${tool.tool_id} is billed by the ${rule.unit} without max_units: it has no upper bound`,
    );
  }
  return rule.max_units;
};

/**
 * The billed quantity. A failed execution is billed at its list price for at least one unit, since the bill precedes
 * any no-charge rule.
 */
const billedQuantity = (tool: Priced, rule: BillingRule, { success, quantity }: Execution): number => {
  if (rule.unit === "request") return 1;
  return Math.min(success ? quantity : Math.max(1, quantity), maxUnits(tool, rule));
};

function estimate(tool: Priced): { amount: Micro; exact: boolean; basis: string } {
  const rule = ruleOf(tool);
  const amount = priceOf(rule, 1);
  if (rule.policy === "exempt") return { amount: 0, exact: true, basis: "policy_exempt" };
  if (rule.unit !== "request")
    return { amount, exact: maxUnits(tool, rule) === 1, basis: `per_${rule.unit}` };
  return { amount, exact: true, basis: amount === 0 ? "free" : "per_call" };
}

function upperBound(tool: Priced): Micro {
  const rule = ruleOf(tool);
  return rule.policy === "exempt" ? 0 : priceOf(rule, maxUnits(tool, rule));
}

function bill(tool: Priced, execution: Execution): Bill {
  const rule = ruleOf(tool);
  const quantity = billedQuantity(tool, rule, execution);
  const listAmount = priceOf(rule, quantity);
  const unitPrice = micro(rule.amount_credits);
  const units = `${quantity} ${rule.unit}${quantity === 1 ? "" : "s"} at ${inCredits(unitPrice)}`;
  const least = listAmount > quantity * unitPrice ? `, at least ${inCredits(listAmount)}` : "";
  return {
    summary: `${inCredits(listAmount)}: ${units}${least}`,
    unit: rule.unit,
    unitPrice,
    quantity,
    listAmount,
  };
}

const isEffective = (rule: BillingRule, { reason }: Execution): boolean => {
  const { effective } = reasons[reason];
  return effective === "partial" ? rule.partial !== "not_charged" : effective === "success";
};

const isCharged = (rule: BillingRule, { reason }: Execution): boolean => {
  const { effective, executed } = reasons[reason];
  if (rule.policy === "exempt") return false;
  if (effective === "partial") return (rule.partial ?? "charged") === "charged";
  return effective === "success" || (executed && rule.charge_on_failure === true);
};

/** What is settled of a list price that is charged. */
export const discounted = (listAmount: Micro, { discount = 0 }: BillingRule): Micro =>
  Math.round(listAmount * (1 - discount));

function settle(tool: Priced, execution: Execution, { listAmount }: Bill): Settlement {
  const rule = ruleOf(tool);
  const billableSuccess = isEffective(rule, execution);
  const amount = isCharged(rule, execution) ? discounted(listAmount, rule) : 0;
  return {
    billableSuccess,
    amount,
    chargeOutcome: chargeOutcome(billableSuccess, amount),
    reason: execution.reason,
  };
}

/** The contract's billing rules: fixed, per unit, minimum, free, discounted, exempt by policy, charged on failure. */
export const createPricing = (): Pricing => ({ estimate, upperBound, bill, settle });
