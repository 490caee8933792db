import type { Knex } from "knex";
import { chargeOutcomeMeanings, chargeOutcomes, usageKindEventTypes } from "../../generated/contract.ts";
import type { operations } from "../../generated/api.ts";
import { readAmountRange, type AmountRange } from "./amount-range.ts";
import { readWindow, type Window } from "./window.ts";

/** The filters of the usage audit. */
export type UsageQuery = Omit<
  NonNullable<operations["listUsage"]["parameters"]["query"]>,
  "page" | "page_size" | "limit" | "include_details" | "summary" | "bucket"
>;

/** The parsed filter of a usage query: conditions, time window and bounds on the amount. */
export interface UsageFilter {
  query: UsageQuery;
  window: Window;
  amounts: AmountRange;
}

/**
 * Parses the filter of a usage query.
 * @throws InvalidQuery for a date or an amount range that the contract refuses
 */
export const readUsageFilter = (query: UsageQuery): UsageFilter => ({
  query: { ...query, api_key_id: query.api_key_id?.toLowerCase() },
  window: readWindow(query),
  amounts: readAmountRange(query),
});

const equalities = [
  "event_type",
  "kind",
  "outcome",
  "reason_code",
  "charge_outcome",
  "search_id",
  "execution_id",
  "api_key_id",
  "oauth_client_id",
  "credential_type",
] as const;

/** Applies the filter, except its window, to a query on `usage_events`. */
export function whereUsage(rows: Knex.QueryBuilder, { query, amounts }: UsageFilter): Knex.QueryBuilder {
  for (const column of equalities) {
    const value = query[column];
    if (value === undefined) continue;
    // No stored text contains a NUL, and Postgres rejects one in a query.
    if (value.includes("\0")) rows.whereRaw("1 = 0");
    else rows.where(column, value);
  }
  if (query.success !== undefined) rows.where("success", Number(query.success));
  if (query.billable_success !== undefined) rows.where("billable_success", Number(query.billable_success));
  if (query.has_execution_outcome === true) rows.whereNotNull("execution_outcome");
  if (query.has_execution_outcome === false) rows.whereNull("execution_outcome");
  if (query.anomaly === "failed_charged_review") rows.where("charge_outcome", "failed_charged_review");
  // Literals, so that the partial index with exactly this condition applies.
  if (query.anomaly === "missing_ledger_link") {
    rows.whereRaw("settled_amount + 0 > 0 AND credits_ledger_entry_id IS NULL");
  }
  if (query.anomaly === "missing_billing_snapshot") rows.whereRaw("billing_snapshot_status = 'missing'");
  if (query.reason_code !== undefined && query.reason_code !== "result.valid") {
    rows.whereRaw("reason_code <> 'result.valid'");
  }
  if (amounts.min !== null) rows.where("settled_amount", ">=", amounts.min);
  if (amounts.max !== null) rows.where("settled_amount", "<=", amounts.max);
  return rows;
}

/** Whether `usage_rollups` distinguish what a filter selects by. */
const rolledUp = {
  event_type: true,
  kind: true,
  success: true,
  billable_success: true,
  charge_outcome: true,
  outcome: false,
  reason_code: false,
  has_execution_outcome: false,
  anomaly: false,
  search_id: false,
  execution_id: false,
  api_key_id: false,
  oauth_client_id: false,
  credential_type: false,
  min_credits: false,
  max_credits: false,
} as const satisfies Record<Exclude<keyof UsageQuery, "start_date" | "end_date">, boolean>;

const filterNames = Object.keys(rolledUp) as (keyof typeof rolledUp)[];

/** Whether the filter selects every event of its window. */
export const selectsAll = ({ query }: UsageFilter): boolean =>
  filterNames.every((name) => query[name] === undefined);

/** Whether `usage_rollups` distinguish everything that the filter selects by. */
export const rollupsCover = ({ query }: UsageFilter): boolean =>
  filterNames.every((name) => rolledUp[name] || query[name] === undefined);

/**
 * Applies the filter to a query on `usage_rollups`, as `whereUsage` does for events; only for a filter that they cover.
 */
export function whereRollups(rollups: Knex.QueryBuilder, { query }: UsageFilter): Knex.QueryBuilder {
  const { event_type, kind, success, billable_success, charge_outcome } = query;
  if (event_type !== undefined) rollups.where("event_type", event_type);
  if (kind !== undefined) {
    rollups.whereIn("event_type", usageKindEventTypes[kind]);
  }
  if (success !== undefined) rollups.where("success", Number(success));
  if (billable_success !== undefined) {
    rollups.whereIn(
      "charge_outcome",
      chargeOutcomes.filter((each) => chargeOutcomeMeanings[each].effectiveSuccess === billable_success),
    );
  }
  if (charge_outcome !== undefined) rollups.where("charge_outcome", charge_outcome);
  return rollups;
}
