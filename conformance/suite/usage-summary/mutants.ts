import { asking, misread, onData, taking } from "../../changes/audit-query.ts";
import { mutantsOf, type Body, type Change } from "../../changes/mutant.ts";
import { onSummary, summaryMutants, summing } from "../summary.mutants.ts";
import { usageSummary } from "../../books/usage-summary.ts";

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

export const mutants = [
  ...mutantsOf({
    "USUM-02": {
      "reads an end_date without a time as midnight": taking(list, "end_date", misread.midnight),
      "uses the last 24 hours when no end_date is given": summing(list, (query) =>
        query["end_date"] === undefined
          ? { ...query, start_date: new Date(Date.now() - dayMs).toISOString() }
          : query,
      ),
      "names another window than it sums, in no zone": onSummary(list, () => ({
        start_date: "2026-03-01T00:00:00",
        end_date: "2026-03-07T00:00:00",
      })),
      "ignores the time zone of end_date": taking(list, "end_date", misread.zoneless),
    },
    "USUM-08": {
      "counts settled amounts as requested": onSummary(list, ({ settled_credits: settled }) => ({
        pre_settlement_credits: settled,
      })),
    },
    "USUM-09": {
      "counts requested amounts as settled": onSummary(list, ({ pre_settlement_credits: requested }) => ({
        settled_credits: requested,
      })),
    },
    "USUM-18": {
      "names the 24 hours of some days ago, in no zone": onSummary(list, (_, __, query) =>
        query.has("start_date") || query.has("end_date")
          ? {}
          : { start_date: "2026-11-01T00:00:00", end_date: "2026-11-02T00:00:00" },
      ),
      "uses today when no date is given": asking(list, (query) => {
        if (query["summary"] !== true || query["start_date"] !== undefined) return query;
        const today = new Date().toISOString().slice(0, 10);
        return { ...query, start_date: today, end_date: query["end_date"] ?? today };
      }),
    },
    "USUM-22": {
      "takes its samples from every account": joining((mine, theirs) => {
        const [own, others] = [mine, theirs].map((summary) => summary["max_charge_items"] as Body[]);
        own!.unshift(...others!.slice(0, 1));
      }),
      "counts the events of every account": joining((mine, theirs) => {
        mine["total_count"] = Number(mine["total_count"]) + Number(theirs["total_count"]);
      }),
    },
  }),
  ...summaryMutants(usageSummary),
];
