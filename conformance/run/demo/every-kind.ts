import {
  eventTypes,
  reasonCodeChargeOutcomes,
  reasonCodes,
  type ChargeOutcome,
  type EventType,
  type ReasonCode,
} from "../../../generated/contract.ts";
import { credits, micro } from "../../../reference-server/billing/money.ts";
import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import { inCredits } from "../../../reference-server/billing/price.ts";
import { priced } from "../../../reference-server/billing/statement.ts";
import { usageEvent } from "../../../reference-server/operations/usage-event.ts";
import type { Account } from "../../../reference-server/parts.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";

/**
 * Usage events of every type with every charge outcome, one of them without a billing snapshot. The charged ones leave
 * all ledger entries but grants and refunds.
 */
export const eventsOfEveryKind = (account: Account): NewUsageEvent[] =>
  eventTypes.flatMap((eventType, row) =>
    ends.map((end, column) => eventOf(account, eventType, end, micro(1 + row + column / 4))),
  );

/** How a request can end; each is an outcome of the books. */
interface End {
  success: boolean;
  isCharged: boolean;
}

const ends: readonly End[] = [true, false].flatMap((success) =>
  [true, false].map((isCharged) => ({ success, isCharged })),
);

const outcomesOf: Readonly<Record<ReasonCode, readonly ChargeOutcome[]>> = reasonCodeChargeOutcomes;

function eventOf(
  account: Account,
  eventType: EventType,
  { success, isCharged }: End,
  price: number,
): NewUsageEvent {
  const amount = isCharged ? price : 0;
  const outcome = chargeOutcome(success, amount);
  const credential = { type: "api_key", apiKeyId: null, oauthClientId: null, delegation: null } as const;
  const name = `${eventType}-${outcome}`;
  const recording = {
    caller: { account, credential },
    eventType,
    displayTarget: eventType,
    durationMs: 10,
    searchId: `srch-${name}`,
    ...(!eventType.startsWith("search") && { executionId: `exec-${account.id}-${name}` }),
    success,
    request: {},
    response: { success },
  };
  const bill = {
    summary: inCredits(price),
    unit: "request",
    unitPrice: price,
    quantity: 1,
    listAmount: price,
  } as const;
  const settlement = {
    billableSuccess: success,
    amount,
    chargeOutcome: outcome,
    reason: reasonCodes.find((code) => outcomesOf[code].includes(outcome)) ?? "provider.error",
  };
  return {
    ...usageEvent(recording, priced({ unit: "request", amount_credits: credits(price) }, bill, settlement)),
    ...(name === "model_call-included" && withoutSnapshot),
  };
}

const withoutSnapshot = { billing_snapshot_status: "missing", billing_rule_snapshot: null } as const;
