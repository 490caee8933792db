import { variationsOf, type Body } from "../../changes/mutant.ts";
import { onSummary } from "../summary.mutants.ts";
import { summaryVariations } from "../summary.variations.ts";
import { usageSummary } from "../../books/usage-summary.ts";

const list = "listUsage";

const countsOf = (summary: Body): Record<string, number> =>
  summary["charge_outcome_counts"] as Record<string, number>;

/** Lawful usage summaries that the reference server does not give. */
export const variations = [
  ...variationsOf({
    "Usage summary object: success_count: which success it counts is not stated": {
      "counts effective successes in success_count": onSummary(list, (summary) => {
        const { charged, included } = countsOf(summary);
        const success = charged! + included!;
        return {
          success_count: success,
          failure_count: Number(summary["total_count"]) - success,
          buckets: (summary["buckets"] as Record<string, number>[]).map((bucket) => {
            const good = bucket["charged_count"]! + bucket["included_count"]!;
            return { ...bucket, success_count: good, failure_count: bucket["total_count"]! - good };
          }),
        };
      }),
    },
    "Usage summary object: success_count, failure_count: no sentence says that they add up": {
      "always shows a failure_count of zero": onSummary(list, ({ buckets }) => ({
        failure_count: 0,
        buckets: (buckets as Body[]).map((bucket) => ({ ...bucket, failure_count: 0 })),
      })),
    },
    "Usage summary object: pre_settlement_credits: of which events is not stated": {
      "sums only charged amounts in pre_settlement_credits": onSummary(
        list,
        ({ settled_credits: settled, buckets }) => ({
          pre_settlement_credits: settled,
          buckets: (buckets as Body[]).map((bucket) => ({
            ...bucket,
            pre_settlement_credits: bucket["settled_credits"],
          })),
        }),
      ),
    },
    "Usage summary object: `start_date`, `end_date` (ISO 8601 timestamps)": {
      "shows the summary window rounded to whole buckets": onSummary(
        list,
        ({ start_date: from, bucket }, _, query) =>
          bucket === "hour" && query.has("start_date")
            ? { start_date: String(from).replace(/:\d\d:\d\d(\.\d+)?Z/, ":00:00Z") }
            : {},
      ),
    },
  }),
  ...summaryVariations(usageSummary),
];
