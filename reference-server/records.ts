import {
  usageKindEventTypes,
  type ChargeOutcome,
  type EntryType,
  type EventType,
  type ReasonCode,
  type UsageKind,
} from "../generated/contract.ts";
import type { Micro } from "./billing/money.ts";

/*
 * The tables as TypeScript types. Column names are the contract's field names where it has one. Amounts are integer
 * micro-credits, times epoch milliseconds, flags 0 or 1, structured values JSON text.
 */

/** The kind of each event type. */
export const kindOf = Object.fromEntries(
  Object.entries(usageKindEventTypes).flatMap(([kind, types]) => types.map((type) => [type, kind])),
) as Readonly<Record<EventType, UsageKind>>;

/**
 * `captured`: rule and bill were recorded at request time. `not_applicable`: nothing to price (an unknown tool, a free
 * operation). `missing`: they should have been recorded but were not; the anomaly `missing_billing_snapshot`.
 */
type BillingSnapshotStatus = "captured" | "not_applicable" | "missing";

/** 0 is false, 1 is true: SQLite has no booleans. */
type Flag = 0 | 1;

/** The audit record of one request. Append-only. Within an account, `seq` order is `created_at` order. */
export interface UsageEventRow {
  seq: number;
  /** UUID. */
  id: string;
  account_id: string;
  event_type: EventType;
  kind: UsageKind;
  source_system: string;
  source_ref_type: string | null;
  source_ref_id: string | null;
  session_id: string | null;
  search_id: string | null;
  /** Unique: one execution has one event. Null for Discover and Inspect. */
  execution_id: string | null;
  tool_id: string | null;
  capability_id: string | null;
  model: string | null;
  query: string | null;
  api_key_id: string | null;
  /** `attributed` if `api_key_id` is known, else `not_applicable` (a token was used). */
  api_key_attribution_status: "attributed" | "not_applicable";
  credential_type: "api_key" | "jwt" | "delegation" | "oauth";
  oauth_client_id: string | null;
  /** Recorded success. */
  success: Flag;
  /** Effective success, which determines the charge outcome. */
  billable_success: Flag;
  charge_outcome: ChargeOutcome;
  reason_code: ReasonCode;
  error_message: string | null;
  duration_ms: number;
  /** JSON. */
  request_payload: string | null;
  /** JSON. */
  response_payload_summary: string | null;
  /** JSON object, null if nothing was executed. Its `outcome` is repeated in the next column. */
  execution_outcome: string | null;
  outcome: string | null;
  outcome_message: string | null;
  billing_snapshot_status: BillingSnapshotStatus;
  /** JSON object: the tool's billing rule at request time. */
  billing_rule_snapshot: string | null;
  /** JSON object: summary, list_amount_credits, unit, unit_price_credits, quantity. */
  pre_settlement_bill: string | null;
  /** JSON object: settled_amount_credits, charge_outcome, reason_code. */
  settlement_result: string | null;
  billing_unit: string | null;
  unit_price: Micro | null;
  quantity: number | null;
  list_amount: Micro | null;
  /** `pre_settlement_amount_credits` and `requested_amount_credits`. */
  requested_amount: Micro;
  /** `settled_amount_credits` and `actual_amount_credits`; never null, since an event is written only when final. */
  settled_amount: Micro;
  credits_ledger_entry_id: string | null;
  display_target: string | null;
  billing_summary: string | null;
  created_at: number;
}

/** Every column of `usage_events`; a missing one is a compile error. */
export const usageEventColumns = Object.keys({
  seq: true,
  id: true,
  account_id: true,
  event_type: true,
  kind: true,
  source_system: true,
  source_ref_type: true,
  source_ref_id: true,
  session_id: true,
  search_id: true,
  execution_id: true,
  tool_id: true,
  capability_id: true,
  model: true,
  query: true,
  api_key_id: true,
  api_key_attribution_status: true,
  credential_type: true,
  oauth_client_id: true,
  success: true,
  billable_success: true,
  charge_outcome: true,
  reason_code: true,
  error_message: true,
  duration_ms: true,
  request_payload: true,
  response_payload_summary: true,
  execution_outcome: true,
  outcome: true,
  outcome_message: true,
  billing_snapshot_status: true,
  billing_rule_snapshot: true,
  pre_settlement_bill: true,
  settlement_result: true,
  billing_unit: true,
  unit_price: true,
  quantity: true,
  list_amount: true,
  requested_amount: true,
  settled_amount: true,
  credits_ledger_entry_id: true,
  display_target: true,
  billing_summary: true,
  created_at: true,
} satisfies Record<keyof UsageEventRow, true>) as (keyof UsageEventRow)[];

/** Any JSON value, before it is stored as text. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

/** The columns of events and entries that hold a JSON object as text, or NULL. */
export const jsonColumns = [
  "request_payload",
  "response_payload_summary",
  "execution_outcome",
  "billing_rule_snapshot",
  "pre_settlement_bill",
  "settlement_result",
  "ledger_metadata",
] as const;
export type JsonColumn = (typeof jsonColumns)[number];
type EventJsonColumn = Exclude<JsonColumn, "ledger_metadata">;

/**
 * An event as an operation passes it to the books: flags as booleans, structured values as values (`undefined` and
 * `null` become NULL). The writer adds `seq`, `id`, `kind`, `credits_ledger_entry_id` and `created_at`.
 */
export type NewUsageEvent = Omit<
  UsageEventRow,
  | "seq"
  | "id"
  | "kind"
  | "credits_ledger_entry_id"
  | "created_at"
  | "success"
  | "billable_success"
  | EventJsonColumn
> & { success: boolean; billable_success: boolean } & Record<EventJsonColumn, unknown>;

/** One change of an account's balance. Append-only; `balance_before` is the `balance_after` of the previous entry. */
export interface LedgerRow {
  seq: number;
  /** UUID. */
  id: string;
  account_id: string;
  entry_type: EntryType;
  /** Signed: negative for consumption, positive for grants; never zero. */
  amount: Micro;
  source_system: string;
  source_ref_type: string | null;
  source_ref_id: string | null;
  /** Unique: one execution changes the balance once. */
  execution_id: string | null;
  /** JSON, as in the usage event. */
  pre_settlement_bill: string | null;
  /** JSON, as in the usage event. */
  settlement_result: string | null;
  /** `total_available_credits`: everything remaining, without subtracting holds, so that the chain has no gap. */
  balance_before: Micro;
  balance_after: Micro;
  /** JSON object. */
  ledger_metadata: string | null;
  description: string;
  created_at: number;
}

/** All columns of `ledger_entries`; the type ensures that none is missing. */
export const ledgerColumns = Object.keys({
  seq: true,
  id: true,
  account_id: true,
  entry_type: true,
  amount: true,
  source_system: true,
  source_ref_type: true,
  source_ref_id: true,
  execution_id: true,
  pre_settlement_bill: true,
  settlement_result: true,
  balance_before: true,
  balance_after: true,
  ledger_metadata: true,
  description: true,
  created_at: true,
} satisfies Record<keyof LedgerRow, true>);

/** An account with its balance: the remaining credits by category, and how many are held for executions under way. */
export interface AccountRow {
  id: string;
  type: "trial" | "formal";
  name: string | null;
  /** Lower case; unique among formal accounts. */
  email: string | null;
  trial_expires_at: number | null;
  welcome_remaining: Micro;
  welcome_total: Micro;
  invite_remaining: Micro;
  invite_total: Micro;
  purchased_remaining: Micro;
  purchased_total: Micro;
  held: Micro;
  created_at: number;
  /** When the operator closed it; null for an open account. */
  closed_at: number | null;
}

/** All columns of `accounts` that the books read; the type ensures that none is missing. */
export const accountColumns = Object.keys({
  id: true,
  type: true,
  name: true,
  email: true,
  trial_expires_at: true,
  welcome_remaining: true,
  welcome_total: true,
  invite_remaining: true,
  invite_total: true,
  purchased_remaining: true,
  purchased_total: true,
  held: true,
  created_at: true,
  closed_at: true,
} satisfies Record<keyof AccountRow, true>);

export interface ApiKeyRow {
  /** UUID. */
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the key in lower-case hex. The key itself is not stored. */
  key_hash: string;
  masked_value: string;
  created_at: number;
  revoked_at: number | null;
}

/** The claim of one trial account for an e-mail address. */
export interface ClaimRow {
  account_id: string;
  /** SHA-256 of the claim code in lower-case hex. */
  claim_code_hash: string;
  /** `open`: no code mailed yet; `pending`: a code was mailed; `claimed`: done. */
  state: "open" | "pending" | "claimed";
  /** Lower case: the recipient of the last code. */
  email: string | null;
  mailed_code_hash: string | null;
  code_expires_at: number | null;
  /** Total over all mailed codes; a new code does not reset it. */
  wrong_tries: number;
  mails_sent: number;
  last_mailed_at: number | null;
  /** The time until which the claim is possible. */
  expires_at: number;
  claimed_at: number | null;
  created_at: number;
}

/** The reservation of one execution under way. */
export interface Held {
  execution_id: string;
  account_id: string;
  amount: Micro;
}

/** Credits reserved for one execution under way. */
export interface HoldRow extends Held {
  /** JSON of the NewUsageEvent as known at the start; a sweep writes it if the process has died. */
  event: string;
  /** The process that will settle it: `processes.owner`. */
  owner: string;
  created_at: number;
}

/**
 * Usage of one account in one UTC hour, by every property that a summary counts. The sum over any set of whole hours
 * equals a scan of the events, also when filtered by event type, kind, charge outcome, success or billable success.
 */
export interface UsageRollupRow {
  account_id: string;
  /** Epoch ms of the start of the hour. */
  hour: number;
  event_type: EventType;
  charge_outcome: ChargeOutcome;
  success: Flag;
  event_count: number;
  requested_amount: Micro;
  settled_amount: Micro;
}

/** Ledger movements of one account in one UTC hour, by entry type. `amount` is signed, with the sign of its type. */
export interface LedgerRollupRow {
  account_id: string;
  hour: number;
  entry_type: EntryType;
  entry_count: number;
  amount: Micro;
}

/** Statistics of a tool's executions, counting only those that reached the provider. */
export interface ToolStatsRow {
  tool_id: string;
  executions: number;
  successes: number;
  total_duration_ms: number;
}
