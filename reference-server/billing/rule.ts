/** The tool's price, as Discover and Inspect show it. Amounts are credits. */
export interface BillingRule {
  /** `request`, or what the result is counted in, such as `row`. */
  unit: string;
  amount_credits: number;
  /** Least that a successful call costs, for per-unit prices. */
  minimum_credits?: number;
  /** Most units that one call bills; needed for per-unit prices, so that there is an upper bound. */
  max_units?: number;
  /** `exempt`: included by policy, whatever the list price. */
  policy?: "exempt";
  /** Charged although it failed: the review case. */
  charge_on_failure?: boolean;
  /** How a partial success is settled; charged unless said otherwise. */
  partial?: "charged" | "included" | "not_charged";
}

/** What billing knows of a tool. */
export interface Priced {
  tool_id: string;
  billing_rule?: BillingRule;
  /** The legacy cost field, beside or instead of `billing_rule`. */
  cost?: number;
}
