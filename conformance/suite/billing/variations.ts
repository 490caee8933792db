import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import type { Settlement } from "../../../reference-server/parts.ts";
import { onPart, together, variation, type Change, type Variation } from "../../proof/mutant.ts";
import { onEvents } from "../usage/variations.ts";

/** Settles some failed Calls differently from the reference. */
const settling = (change: (settlement: Settlement, listAmount: number) => Partial<Settlement>): Change =>
  onPart("pricing", (pricing) => ({
    ...pricing,
    settle: (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      if (settlement.reason !== "provider.error") return settlement;
      const changed = { ...settlement, ...change(settlement, bill.listAmount) };
      return { ...changed, chargeOutcome: chargeOutcome(changed.billableSuccess, changed.amount) };
    },
  }));

/** Lawful charges that the reference server does not make. */
export const variations: readonly Variation[] = [
  variation(
    "charges Calls that a provider fails, and puts them up for review",
    "failed_charged_review | Effective success is false but the amount is positive; a support/review case",
    settling((_, amount) => ({ amount })),
  ),
  variation(
    "requests nothing of a Call that fails, and charges it under review",
    "failed_charged_review | Effective success is false but the amount is positive; a support/review case",
    together(
      settling((_, amount) => ({ amount })),
      onEvents(({ charge_outcome: outcome }) =>
        outcome === "failed_charged_review"
          ? { requested_amount_credits: 0, pre_settlement_amount_credits: 0, pre_settlement_bill: null }
          : {},
      ),
    ),
  ),
  variation(
    "charges Calls that a provider fails as effective ones",
    "`success` alone does not decide the final charge.",
    settling((_, amount) => ({ amount, billableSuccess: true })),
  ),
  variation(
    "includes Calls that a provider fails",
    "`success` alone does not decide the final charge.",
    settling(() => ({ billableSuccess: true })),
  ),
];
