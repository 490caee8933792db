import type { Knex } from "knex";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import { automaticBucket, type Bucket } from "./buckets.ts";
import { rangeOf } from "./hours.ts";
import { largest } from "./largest.ts";
import { type Counted, filled, sum, tallyByBucket, tallyWhole } from "./tally.ts";
import { type ListedEvent, usageEventBody } from "./usage-event.ts";
import { type UsageFilter, whereUsage } from "./usage-filter.ts";
import { firstEvent, selectEvents, usageSelection } from "./usage-reads.ts";
import { instantText, summaryWindow, timestamp } from "./window.ts";

const names = [
  "total_count",
  "success_count",
  "charged_count",
  "included_count",
  "failed_not_charged_count",
  "failed_charged_review_count",
  "requested",
  "settled",
] as const;
type Name = (typeof names)[number];

const outcomeCounts = (count: string) => ({
  total_count: count,
  success_count: `CASE WHEN success = 1 THEN ${count} ELSE 0 END`,
  charged_count: `CASE WHEN charge_outcome = 'charged' THEN ${count} ELSE 0 END`,
  included_count: `CASE WHEN charge_outcome = 'included' THEN ${count} ELSE 0 END`,
  failed_not_charged_count: `CASE WHEN charge_outcome = 'failed_not_charged' THEN ${count} ELSE 0 END`,
  failed_charged_review_count: `CASE WHEN charge_outcome = 'failed_charged_review' THEN ${count} ELSE 0 END`,
  requested: "requested_amount",
  settled: "settled_amount",
});

/** What a usage summary counts. `success_count` counts recorded success; amounts are micro-credits. */
export const summarizedEvents: Counted<Name> = {
  table: "usage_events",
  rollups: "usage_rollups",
  overRows: outcomeCounts("1"),
  overRollups: outcomeCounts("event_count"),
};

/** The summary of the events that a filter selects in its window (contract: Usage summary object). */
export async function usageSummary(
  database: Knex,
  accountId: string,
  filter: UsageFilter,
  options: { bucket: Bucket | undefined; samples: number; details: boolean; now: number },
): Promise<components["schemas"]["UsageSummary"]> {
  const { start, end } = filter.window;
  const first = !start && end ? await firstEvent(database, accountId) : null;
  const window = summaryWindow(filter.window, options.now, first);
  const bucket = options.bucket ?? automaticBucket(window);
  const selection = usageSelection(accountId, filter, window);
  const tallies = await tallyByBucket(database, summarizedEvents, selection, bucket);
  const total = sum([...names], tallies.values());
  const charges: ListedEvent[] = await largest(whereUsage(selectEvents(database, options.details), filter), {
    accountId,
    range: rangeOf(window),
    size: "settled_amount",
    within: ["charge_outcome", ["charged", "failed_charged_review"]],
    expected: total.charged_count + total.failed_charged_review_count,
    samples: options.samples,
  });
  return {
    start_date: instantText(window.start),
    end_date: instantText(window.end),
    bucket,
    total_count: total.total_count,
    success_count: total.success_count,
    failure_count: total.total_count - total.success_count,
    charge_outcome_counts: {
      charged: total.charged_count,
      included: total.included_count,
      failed_not_charged: total.failed_not_charged_count,
      failed_charged_review: total.failed_charged_review_count,
    },
    pre_settlement_credits: credits(total.requested),
    settled_credits: credits(total.settled),
    max_charge_items: charges.map((row) => usageEventBody(row, options.details)),
    buckets: filled([...names], tallies, bucket, window).map(({ start, tally }) => ({
      bucket_start: timestamp(start),
      total_count: tally.total_count,
      success_count: tally.success_count,
      failure_count: tally.total_count - tally.success_count,
      charged_count: tally.charged_count,
      included_count: tally.included_count,
      failed_not_charged_count: tally.failed_not_charged_count,
      failed_charged_review_count: tally.failed_charged_review_count,
      pre_settlement_credits: credits(tally.requested),
      settled_credits: credits(tally.settled),
    })),
  };
}

/** Settled credits of the events that a filter selects, as a decimal. */
export async function creditsSpent(database: Knex, accountId: string, filter: UsageFilter): Promise<number> {
  const { settled } = await tallyWhole(database, summarizedEvents, usageSelection(accountId, filter));
  return credits(settled);
}
