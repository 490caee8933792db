import type { Knex } from "knex";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import { usageEventColumns } from "../records.ts";
import type { History, Own } from "./history.ts";
import type { Sized, Summary } from "./summary.ts";
import { countWhole, type Measure, type Tally } from "./tally.ts";
import { listedColumns, type ListedEvent, type UsageEventBody, usageEventBody } from "./usage-event.ts";
import { rollupsCover, type UsageFilter, whereRollups, whereUsage } from "./usage-filter.ts";

const figures = {
  total_count: { count: "1 = 1" },
  success_count: { count: "success = 1" },
  charged_count: { count: "charge_outcome = 'charged'" },
  included_count: { count: "charge_outcome = 'included'" },
  failed_not_charged_count: { count: "charge_outcome = 'failed_not_charged'" },
  failed_charged_review_count: { count: "charge_outcome = 'failed_charged_review'" },
  requested: { sum: "requested_amount" },
  settled: { sum: "settled_amount" },
} as const satisfies Record<string, Measure>;
type Figure = keyof typeof figures;

/** An event's API key as it may be shown, read with its row: one statement a page. */
const shownKey = (["name", "masked_value"] as const).map(
  (column) =>
    `(SELECT ${column} FROM api_keys WHERE api_keys.id = usage_events.api_key_id) AS api_key_${column}`,
);

/** The usage events of an account. `success_count` counts recorded success. */
export const usage: History<UsageFilter, ListedEvent, UsageEventBody, Figure> & Sized<Figure> = {
  feed: "usage",
  table: "usage_events",
  rollups: "usage_rollups",
  counter: "event_count",
  total: "total_count",
  figures,
  select: (database: Knex, details: boolean) =>
    database("usage_events")
      .select(details ? usageEventColumns : listedColumns)
      .select(shownKey.map((column) => database.raw(column))),
  whereRows: whereUsage,
  whereRollups,
  rollupsCover,
  show: usageEventBody,
  size: "settled_amount",
  wherePositive: (rows) => rows.whereIn("charge_outcome", ["charged", "failed_charged_review"]),
  countPositive: (total) => total.charged_count + total.failed_charged_review_count,
};

/** What a summary and each of its buckets say alike. */
const shared = (tally: Tally<Figure>) => ({
  total_count: tally.total_count,
  success_count: tally.success_count,
  failure_count: tally.total_count - tally.success_count,
  pre_settlement_credits: credits(tally.requested),
  settled_credits: credits(tally.settled),
});

/** A usage summary as the contract shows it (Usage summary object). */
export const usageSummaryBody = ({
  head,
  total,
  largest,
  buckets,
}: Summary<UsageEventBody, Figure>): components["schemas"]["UsageSummary"] => ({
  ...head,
  ...shared(total),
  charge_outcome_counts: {
    charged: total.charged_count,
    included: total.included_count,
    failed_not_charged: total.failed_not_charged_count,
    failed_charged_review: total.failed_charged_review_count,
  },
  max_charge_items: largest,
  buckets: buckets.map(({ bucket_start, tally }) => ({
    bucket_start,
    ...shared(tally),
    charged_count: tally.charged_count,
    included_count: tally.included_count,
    failed_not_charged_count: tally.failed_not_charged_count,
    failed_charged_review_count: tally.failed_charged_review_count,
  })),
});

/** Settled credits of the events that a filter selects, as a decimal. */
export const creditsSpent = async (own: Own, filter: UsageFilter): Promise<number> =>
  credits((await countWhole(usage, own, filter)).settled);
