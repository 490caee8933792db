import { asking, misread, onData, taking } from "../../changes/audit-query.ts";
import { mutantsOf, type Body, type Change } from "../../changes/mutant.ts";
import { onBuckets, onSummary, summaryMutants, summing } from "../summary.mutants.ts";
import { usageSummary } from "./summary.ts";

const list = "listUsage";
const dayMs = 86_400_000;

/** Adds part of every other account's summary to the caller's. */
const joining = (join: (mine: Body, theirs: Body) => void): Change =>
  onData(list, async (data, { query, ask, others }) => {
    if (query["summary"] !== true) return;
    for (const account of await others()) {
      join(data["summary"] as Body, (await ask(query, account))["summary"] as Body);
    }
  });

const countsOf = (summary: Body): Record<string, number> =>
  summary["charge_outcome_counts"] as Record<string, number>;

export const mutants = [
  ...mutantsOf({
    "USUM-01": {
      "answers start_date as a date alone": onSummary(list, ({ start_date: date }) => ({
        start_date: String(date).slice(0, 10),
      })),
      "answers end_date in words": onSummary(list, () => ({ end_date: "now" })),
    },
    "USUM-02": {
      "takes a date alone as end for the beginning of the day": taking(list, "end_date", misread.midnight),
      "takes the last 24 hours where no end_date is given": summing(list, (query) =>
        query["end_date"] === undefined
          ? { ...query, start_date: new Date(Date.now() - dayMs).toISOString() }
          : query,
      ),
      "does not look at the zone of end_date": taking(list, "end_date", misread.zoneless),
    },
    "USUM-04": {
      "counts what is charged among the included too": onSummary(list, (summary) => {
        const counts = countsOf(summary);
        return { charge_outcome_counts: { ...counts, included: counts["included"]! + counts["charged"]! } };
      }),
    },
    "USUM-05": {
      "counts what is included as charged, and the other way round": onSummary(list, (summary) => {
        const { charged, included, ...counts } = countsOf(summary);
        return { charge_outcome_counts: { ...counts, charged: included, included: charged } };
      }),
    },
    "USUM-06": {
      "leaves what failed out of the summary": summing(list, (query) => ({
        ...query,
        success: query["success"] ?? true,
      })),
    },
    "USUM-07": {
      "counts what is charged as what succeeded": onSummary(list, (summary) => {
        const { charged } = countsOf(summary);
        return { success_count: charged, failure_count: Number(summary["total_count"]) - charged! };
      }),
    },
    "USUM-08": {
      "sums the settled amounts twice": onSummary(list, ({ settled_credits: settled }) => ({
        pre_settlement_credits: settled,
      })),
    },
    "USUM-09": {
      "sums the requested amounts twice": onSummary(list, ({ pre_settlement_credits: requested }) => ({
        settled_credits: requested,
      })),
    },
    "USUM-11": {
      "returns no more than 10 samples, whatever the limit": onSummary(
        list,
        ({ max_charge_items: items }) => ({
          max_charge_items: (items as unknown[]).slice(0, 10),
        }),
      ),
      "returns no more than 5 samples where no limit is given": onSummary(
        list,
        ({ max_charge_items: items }, _, query) => ({
          max_charge_items: (items as unknown[]).slice(0, query.has("limit") ? undefined : 5),
        }),
      ),
    },
    "USUM-14": {
      "counts all in its buckets as succeeded": onBuckets(list, ({ total_count: total }) => ({
        success_count: total,
        failure_count: 0,
      })),
    },
    "USUM-15": {
      "counts what is charged as included in its buckets": onBuckets(
        list,
        ({ charged_count: charged, included_count: included }) => ({
          charged_count: 0,
          included_count: Number(included) + Number(charged),
        }),
      ),
    },
    "USUM-16": {
      "shows settled credits in its buckets before settlement": onBuckets(
        list,
        ({ pre_settlement_credits: requested }) => ({ settled_credits: requested }),
      ),
    },
    "USUM-18": {
      "takes today where no date is given": asking(list, (query) => {
        if (query["summary"] !== true || query["start_date"] !== undefined) return query;
        const today = new Date().toISOString().slice(0, 10);
        return { ...query, start_date: today, end_date: query["end_date"] ?? today };
      }),
    },
    "USUM-22": {
      "takes its samples from every account": joining((mine, theirs) => {
        const [own, others] = [mine, theirs].map((one) => one["max_charge_items"] as Body[]);
        own!.unshift(...others!.slice(0, 1));
      }),
      "counts the events of every account": joining((mine, theirs) => {
        mine["total_count"] = Number(mine["total_count"]) + Number(theirs["total_count"]);
      }),
    },
    "USUM-23": {
      "shows samples on the first page alone": onSummary(list, (_, __, query) =>
        Number(query.get("page") ?? 1) > 1 ? { max_charge_items: [] } : {},
      ),
      "sums the events of the page": onSummary(list, (_, data) => ({
        total_count: (data["items"] as unknown[]).length,
      })),
      "sums nothing beyond the first page": summing(list, (query) =>
        Number(query["page"]) > 1 ? { ...query, search_id: "none" } : query,
      ),
    },
  }),
  ...summaryMutants(usageSummary, [
    "search_id",
    "execution_id",
    "reason_code",
    "anomaly",
    "api_key_id",
    "min_credits",
  ]),
];
