import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chargeOutcomes, reasonCodeChargeOutcomes, reasonCodes } from "../../generated/contract.ts";
import type { BillingRule } from "./rule.ts";
import type { Tool } from "../catalog/tool.ts";
import type { Execution } from "../parts.ts";
import { micro } from "./money.ts";
import { chargeOutcome, reasons } from "./outcome.ts";
import { createPricing } from "./price.ts";
import { compactBilling, priced, unpriced } from "./statement.ts";

const pricing = createPricing();
const toolWith = (billing_rule: BillingRule): Tool => ({ tool_id: "weather.current", billing_rule }) as Tool;
const execution = (changes: Partial<Execution> = {}): Execution => ({
  reason: "result.valid",
  success: true,
  statusCode: 200,
  message: null,
  quantity: 1,
  durationMs: 5,
  ...changes,
});
const settled = (rule: BillingRule, changes: Partial<Execution> = {}) => {
  const done = execution(changes);
  return pricing.settle(toolWith(rule), done, pricing.bill(toolWith(rule), done));
};

const sixDecimals = fc.integer({ min: 0, max: 5_000_000_000 }).map((amount) => amount / 1e6);
const anyRule: fc.Arbitrary<BillingRule> = fc.record(
  {
    unit: fc.constantFrom("request", "row"),
    amount_credits: sixDecimals,
    max_units: fc.integer({ min: 1, max: 1000 }),
    minimum_credits: sixDecimals,
    discount: fc.double({ min: 0, max: 0.5, noNaN: true }),
    policy: fc.constant("exempt" as const),
    charge_on_failure: fc.boolean(),
    partial: fc.constantFrom("charged" as const, "included" as const, "not_charged" as const),
  },
  { requiredKeys: ["unit", "amount_credits", "max_units"] },
);
const anyExecution: fc.Arbitrary<Execution> = fc
  .record({ reason: fc.constantFrom(...reasonCodes), quantity: fc.integer({ min: 0, max: 2000 }) })
  .map(({ reason, quantity }) =>
    execution({ reason, quantity, success: reasons[reason].effective !== "failure" }),
  );

describe("charge outcome", () => {
  test("is one function of effective success and settled amount", () => {
    expect(chargeOutcome(true, 1)).toBe("charged");
    expect(chargeOutcome(true, 0)).toBe("included");
    expect(chargeOutcome(false, 0)).toBe("failed_not_charged");
    expect(chargeOutcome(false, 1)).toBe("failed_charged_review");
  });

  test("is a typical outcome of its reason, unless the tool's rule charges failures", () => {
    fc.assert(
      fc.property(anyRule, anyExecution, (rule, done) => {
        const settlement = pricing.settle(toolWith(rule), done, pricing.bill(toolWith(rule), done));
        const typical = reasonCodeChargeOutcomes[done.reason];
        const allowed = rule.charge_on_failure ? [...typical, "failed_charged_review"] : typical;
        expect(allowed).toContain(settlement.chargeOutcome);
        expect(settlement.chargeOutcome).toBe(chargeOutcome(settlement.billableSuccess, settlement.amount));
        expect(settlement.reason).toBe(done.reason);
      }),
      { verbose: true },
    );
  });
});

describe("price", () => {
  test("no settlement exceeds its hold or its bill", () => {
    fc.assert(
      fc.property(anyRule, anyExecution, (rule, done) => {
        const tool = toolWith(rule);
        const bill = pricing.bill(tool, done);
        const { amount } = pricing.settle(tool, done, bill);
        expect(amount).toBeLessThanOrEqual(pricing.upperBound(tool));
        const discounted = Math.round(bill.listAmount * (1 - (rule.discount ?? 0)));
        expect([0, discounted]).toContain(amount);
        expect(pricing.estimate(tool).amount).toBeLessThanOrEqual(pricing.upperBound(tool));
      }),
      { verbose: true },
    );
  });

  test("a price for each row has a minimum and a maximum", () => {
    const rule: BillingRule = { unit: "row", amount_credits: 0.1, minimum_credits: 0.25, max_units: 30 };
    expect(settled(rule, { quantity: 3 }).amount).toBe(micro(0.3));
    expect(settled(rule, { quantity: 1 }).amount).toBe(micro(0.25));
    expect(settled(rule, { quantity: 900 }).amount).toBe(micro(3));
    expect(pricing.upperBound(toolWith(rule))).toBe(micro(3));
    expect(pricing.estimate(toolWith(rule))).toEqual({ amount: micro(0.25), exact: false, basis: "per_row" });
    expect(() => pricing.upperBound(toolWith({ unit: "row", amount_credits: 1 }))).toThrow(
      "without max_units",
    );
  });

  test("a failure costs nothing but keeps its list price in the bill; a charged failure is up for review", () => {
    const rule: BillingRule = { unit: "request", amount_credits: 2 };
    const failure = execution({ reason: "provider.error", success: false, quantity: 0 });
    const bill = pricing.bill(toolWith(rule), failure);
    const fields = priced(rule, bill, pricing.settle(toolWith(rule), failure, bill));
    expect(fields).toMatchObject({
      requested_amount: micro(2),
      settled_amount: 0,
      charge_outcome: "failed_not_charged",
      settlement_result: { settled_amount_credits: 0 },
      pre_settlement_bill: { list_amount_credits: 2, unit: "request", unit_price_credits: 2, quantity: 1 },
    });
    expect(compactBilling(bill, failure.success).list_amount_credits).toBe(0);
    expect(settled({ ...rule, charge_on_failure: true }, failure)).toMatchObject({
      amount: micro(2),
      chargeOutcome: "failed_charged_review",
    });
    const unexecuted = { reason: "validation_error", success: false } as const;
    expect(settled({ ...rule, charge_on_failure: true }, unexecuted).amount).toBe(0);
  });

  test("an exempt tool is included, and its list price is still shown", () => {
    const rule: BillingRule = { unit: "request", amount_credits: 2, policy: "exempt" };
    expect(settled(rule)).toMatchObject({ amount: 0, chargeOutcome: "included" });
    expect(pricing.bill(toolWith(rule), execution()).listAmount).toBe(micro(2));
  });

  test("a discount is taken off at settlement, to the millionth of a credit", () => {
    const rule: BillingRule = { unit: "request", amount_credits: 0.8, discount: 0.25 };
    expect(settled(rule)).toMatchObject({ amount: micro(0.6), chargeOutcome: "charged" });
    expect(pricing.bill(toolWith(rule), execution()).listAmount).toBe(micro(0.8));
    expect(settled({ ...rule, amount_credits: 0.000001 }).amount).toBe(1);
  });

  test("every outcome has its billing summary", () => {
    const rule: BillingRule = { unit: "request", amount_credits: 1.5, charge_on_failure: true };
    const bill = pricing.bill(toolWith(rule), execution());
    const texts = chargeOutcomes.map((outcome) => {
      const amount = outcome === "charged" || outcome === "failed_charged_review" ? bill.listAmount : 0;
      const reason = outcome.startsWith("failed") ? "provider.error" : "result.valid";
      const settlement = { billableSuccess: true, amount, chargeOutcome: outcome, reason } as const;
      return priced(rule, bill, settlement).billing_summary;
    });
    expect(texts).toEqual([
      "Charged 1.5 credits: 1 request at 1.5 credits",
      "Included: the list price of 1.5 credits was not charged",
      "Not charged: the provider reported an error",
      "Charged 1.5 credits although the provider reported an error; up for review",
    ]);
    expect(unpriced("tool_unavailable").billing_summary).toBe("Not charged: the tool was not available");
  });
});
