/** The tool's price as shown by Discover and Inspect. Amounts are credits. */
export interface BillingRule {
  /** `request`, or the unit in which results are counted, such as `row`. */
  unit: string;
  amount_credits: number;
  /** Minimum charge of a successful call with per-unit prices. */
  minimum_credits?: number;
  /** The most units billed for one call; required for per-unit prices, so that there is an upper bound. */
  max_units?: number;
  /** The share of the list price that settlement takes off, such as 0.25. */
  discount?: number;
  /** `exempt`: included by policy, whatever the list price. */
  policy?: "exempt";
  /** Charged although it failed: the review case. */
  charge_on_failure?: boolean;
  /** How a partial success is settled; charged by default. */
  partial?: "charged" | "included" | "not_charged";
}

/** The billing data of a tool. */
export interface Priced {
  tool_id: string;
  billing_rule?: BillingRule;
  /** The legacy cost field, besides or instead of `billing_rule`. */
  cost?: number;
}
