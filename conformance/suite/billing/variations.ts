import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import type { Settlement } from "../../../reference-server/parts.ts";
import { onPart, together, variationsOf, type Change } from "../../changes/mutant.ts";
import { refusingHolds } from "./holds-changes.ts";
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
export const variations = variationsOf({
  "failed_charged_review | Effective success is false but the amount is positive; a support/review case": {
    "charges Calls that fail at the provider, subject to review": settling((_, amount) => ({ amount })),
    "shows a requested amount of zero for a failed Call that it charges under review": together(
      settling((_, amount) => ({ amount })),
      onEvents(({ charge_outcome: outcome }) =>
        outcome === "failed_charged_review"
          ? { requested_amount_credits: 0, pre_settlement_amount_credits: 0, pre_settlement_bill: null }
          : {},
      ),
    ),
  },
  "402 insufficient credits; whether an account without credits may make a free Call is unspecified": {
    "refuses a free Call from an account without credits": refusingHolds(
      (amount, available) => amount === 0 && available <= 0,
    ),
  },
  "`success` alone does not decide the final charge.": {
    "charges Calls that fail at the provider as effective successes": settling((_, amount) => ({
      amount,
      billableSuccess: true,
    })),
    "classifies Calls that fail at the provider as included": settling(() => ({ billableSuccess: true })),
  },
});
