import { mutantsOf, onPath, type Body } from "../../changes/mutant.ts";
import { onSummary, summaryMutants, summing } from "../summary.mutants.ts";
import { ledgerSummary } from "../../books/ledger-summary.ts";

const list = "listLedger";

const number = (body: Body, name: string): number => Number(body[name]);

export const mutants = [
  ...mutantsOf({
    "LSUM-06": {
      "subtracts consumed_credits from granted_credits": onSummary(list, (summary) => ({
        granted_credits: number(summary, "granted_credits") - number(summary, "consumed_credits"),
      })),
    },
    "LSUM-07": {
      "computes the net amount as granted plus consumed credits": onSummary(list, (summary) => ({
        net_amount_credits: number(summary, "granted_credits") + number(summary, "consumed_credits"),
      })),
    },
    "LSUM-08": {
      "shows of each of the largest movements only that there is one": onPath(
        "listLedger",
        "data.summary.max_amount_items.*",
        () => ({ moved: true }),
      ),
      "shows the newest movements as the largest": onSummary(list, (summary, data) => ({
        max_amount_items: (data["items"] as Body[]).slice(0, (summary["max_amount_items"] as Body[]).length),
      })),
      "ranks the largest movements by signed amount": summing(
        list,
        (query) => ({ ...query, limit: 50 }),
        (wide, own) => ({
          ...own,
          max_amount_items: (wide["max_amount_items"] as Body[])
            .toSorted((body, two) => number(two, "amount_credits") - number(body, "amount_credits"))
            .slice(0, (own["max_amount_items"] as Body[]).length),
        }),
      ),
    },
    "LSUM-11": {
      "leaves the last bucket out": onSummary(list, ({ buckets }) => ({
        buckets: (buckets as Body[]).slice(0, -1),
      })),
    },
  }),
  ...summaryMutants(ledgerSummary),
];
