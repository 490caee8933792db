import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import { usageEventColumns, type UsageEventRow } from "../records.ts";
import type { Read } from "./rows.ts";
import { timestamp } from "./window.ts";

type Schemas = components["schemas"];

export type UsageEventBody = Schemas["UsageEvent"];
type UsageFeedItem = Schemas["UsageFeedItem"];

/** The columns read only for requests with details. */
const detailColumns = ["request_payload", "response_payload_summary"] as const;
type DetailColumn = (typeof detailColumns)[number];

/** The columns that every list reads. */
export const listedColumns = usageEventColumns.filter(
  (column) => !(detailColumns as readonly string[]).includes(column),
);

/** An event as lists read it: without its detail columns unless requested, with its API key in masked form. */
export type ListedEvent = Omit<Read<UsageEventRow>, DetailColumn> &
  Partial<Pick<Read<UsageEventRow>, DetailColumn>> & {
    api_key_name: string | null;
    /** Null if the event has no key of this server. */
    api_key_masked_value: string | null;
  };

/** The fields of an event without JSON objects: those of the feed. */
const plainFields = (row: ListedEvent) => ({
  id: row.id,
  event_type: row.event_type,
  kind: row.kind,
  source_system: row.source_system,
  source_ref_type: row.source_ref_type,
  source_ref_id: row.source_ref_id,
  session_id: row.session_id,
  search_id: row.search_id,
  execution_id: row.execution_id,
  tool_id: row.tool_id,
  model: row.model,
  query: row.query,
  api_key_attribution_status: row.api_key_attribution_status,
  credential_type: row.credential_type,
  oauth_client_id: row.oauth_client_id,
  success: row.success === 1,
  billable_success: row.billable_success === 1,
  charge_outcome: row.charge_outcome,
  reason_code: row.reason_code,
  outcome: row.outcome,
  outcome_message: row.outcome_message,
  error_message: row.error_message,
  duration_ms: row.duration_ms,
  billing_snapshot_status: row.billing_snapshot_status,
  billing_unit: row.billing_unit,
  unit_price_credits: row.unit_price === null ? null : credits(row.unit_price),
  quantity: row.quantity,
  list_amount_credits: row.list_amount === null ? null : credits(row.list_amount),
  pre_settlement_amount_credits: credits(row.requested_amount),
  requested_amount_credits: credits(row.requested_amount),
  settled_amount_credits: credits(row.settled_amount),
  actual_amount_credits: credits(row.settled_amount),
  credits_ledger_entry_id: row.credits_ledger_entry_id,
  display_target: row.display_target,
  billing_summary: row.billing_summary,
  created_at: timestamp(row.created_at),
});

/**
 * A usage event in the contract's form (Resources, Usage event).
 * @param details with the stored request and answer
 */
export const usageEventBody = (row: ListedEvent, details: boolean): UsageEventBody => ({
  ...plainFields(row),
  api_key:
    row.api_key_id === null || row.api_key_masked_value === null
      ? null
      : { id: row.api_key_id, name: row.api_key_name, masked_value: row.api_key_masked_value },
  execution_outcome: row.execution_outcome as Schemas["ExecutionOutcome"],
  billing_rule_snapshot: row.billing_rule_snapshot as Schemas["BillingRuleSnapshot"],
  pre_settlement_bill: row.pre_settlement_bill as Schemas["PreSettlementBill"],
  settlement_result: row.settlement_result as Schemas["SettlementResult"],
  ...(details && {
    request_payload: row.request_payload,
    response_payload_summary: row.response_payload_summary,
  }),
});

/** A usage event in the summary feed: without the fields that hold JSON objects. */
export const usageFeedItem = (row: ListedEvent): UsageFeedItem => ({
  ...plainFields(row),
  details_available: true,
});

/** The columns of the usage export in order: the fields of a list item. */
export const usageColumns = [
  "id",
  "created_at",
  "event_type",
  "kind",
  "source_system",
  "source_ref_type",
  "source_ref_id",
  "session_id",
  "search_id",
  "execution_id",
  "tool_id",
  "model",
  "query",
  "api_key",
  "api_key_attribution_status",
  "credential_type",
  "oauth_client_id",
  "success",
  "billable_success",
  "charge_outcome",
  "reason_code",
  "execution_outcome",
  "outcome",
  "outcome_message",
  "error_message",
  "duration_ms",
  "billing_snapshot_status",
  "billing_rule_snapshot",
  "billing_unit",
  "unit_price_credits",
  "quantity",
  "list_amount_credits",
  "pre_settlement_bill",
  "pre_settlement_amount_credits",
  "requested_amount_credits",
  "settlement_result",
  "settled_amount_credits",
  "actual_amount_credits",
  "credits_ledger_entry_id",
  "display_target",
  "billing_summary",
] as const satisfies readonly (keyof UsageEventBody)[];
