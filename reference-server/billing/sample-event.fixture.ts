import type { Micro } from "./money.ts";
import { credits } from "./money.ts";
import { chargeOutcome } from "./outcome.ts";
import type { NewUsageEvent } from "../records.ts";

/** The event of a successful Call settled at `amount`, with the given `changes`. */
export function sampleEvent(
  accountId: string,
  executionId: string | null,
  amount: Micro,
  changes: Partial<NewUsageEvent> = {},
): NewUsageEvent {
  const outcome = chargeOutcome(changes.billable_success ?? true, amount);
  return {
    account_id: accountId,
    event_type: "tool_execute",
    source_system: "api",
    source_ref_type: null,
    source_ref_id: null,
    session_id: "session-1",
    search_id: "search-1",
    execution_id: executionId,
    tool_id: "weather.current",
    capability_id: null,
    model: null,
    query: null,
    api_key_id: null,
    api_key_attribution_status: "not_applicable",
    credential_type: "api_key",
    oauth_client_id: null,
    success: true,
    billable_success: true,
    charge_outcome: outcome,
    reason_code: "result.valid",
    error_message: null,
    duration_ms: 12.5,
    request_payload: { city: "Bern" },
    response_payload_summary: { size_bytes: 20 },
    execution_outcome: { outcome: "success" },
    outcome: "success",
    outcome_message: null,
    billing_snapshot_status: "captured",
    billing_rule_snapshot: { unit: "request", amount_credits: credits(amount) },
    pre_settlement_bill: { list_amount_credits: credits(amount) },
    settlement_result: { settled_amount_credits: credits(amount) },
    billing_unit: "request",
    unit_price: amount,
    quantity: 1,
    list_amount: amount,
    requested_amount: amount,
    settled_amount: amount,
    display_target: "weather.current",
    billing_summary: "Charged",
    ...changes,
  };
}
