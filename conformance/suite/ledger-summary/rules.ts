import { sameCredits } from "../../judge/credits.ts";
import { creditsAt, listData } from "../../judge/rows.ts";
import { holds, rule, type Rule } from "../../judge/rule.ts";
import { summaryRules } from "../summary.rules.ts";
import { ledgerSummary } from "../../books/ledger-summary.ts";

/** The summary of the ledger list. */
export const rules: readonly Rule[] = [
  ...summaryRules(ledgerSummary),
  {
    operations: ["listLedger"],
    ...rule("LSUM-07", "the net amount is what was granted less what was consumed", (seen) => {
      const summary = listData(seen, "listLedger")?.["summary"];
      const [net, granted, consumed] = ["net_amount_credits", "granted_credits", "consumed_credits"].map(
        (name) => creditsAt(summary, name),
      );
      if (net === undefined || granted === undefined || consumed === undefined) return null;
      return holds(sameCredits(net, granted - consumed), `net_amount_credits ${granted - consumed}`, net);
    }),
  },
];
