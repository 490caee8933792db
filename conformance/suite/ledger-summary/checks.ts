import { amountOf } from "../../judge/rows.ts";
import { createdAt, instantLike } from "../../books/listed.ts";
import { microsIn } from "../../judge/instant.ts";
import { summaryChecks } from "../summary.checks.ts";
import { entryOf } from "../ledger/entries.ts";
import { ledgerSummary } from "../../books/ledger-summary.ts";

/** Length of the window before a charge, in days: enough of an account's history to sum. */
const days = 30;

export const checks = summaryChecks(ledgerSummary, { needs: ["tool.charged"] }, async ({ account, tool }) => {
  const newest = await entryOf(account, await account.succeed(tool("charged")));
  const amount = Math.abs(amountOf(newest) ?? 0);
  return {
    window: {
      start_date: instantLike(newest, createdAt(newest) - days * microsIn.day),
      end_date: instantLike(newest, createdAt(newest) + microsIn.hour),
    },
    filters: [
      {},
      { direction: "consume" },
      { direction: "grant" },
      { entry_type: "consume_tool_execute" },
      { scope: "account_history" },
      { max_credits: amount },
      { min_credits: amount, max_credits: amount },
      { min_credits: amount + 0.01, direction: "grant" },
    ],
  };
});
