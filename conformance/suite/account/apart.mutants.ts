import { mutantsOf, onStatus, type Change } from "../../changes/mutant.ts";
import type { WireAnswer } from "../../changes/wire.ts";
import type { OperationId } from "../../../generated/contract.ts";

/** Answers an account that asks after another one with the other's answer, where no parameter says what is asked for. */
function mixed(operation: OperationId): Change {
  let last: { who: string | undefined; answer: WireAnswer } | undefined;
  return onStatus(
    operation,
    200,
    (answer, { headers: { authorization: who } }) => {
      const before = last;
      last = { who, answer };
      return before !== undefined && before.who !== who ? before.answer : answer;
    },
    ({ query }) => query.size === 0,
  );
}

export const mutants = mutantsOf({
  "ACCT-02": { "answers with the credits of the account that asked before": mixed("getCredits") },
  "ACCT-10": { "answers with the credits spent of the account that asked before": mixed("getCreditsSpent") },
  "ACCT-21": { "answers with the settlements of the account that asked before": mixed("listSettlements") },
  "LEDG-26": { "answers with the ledger of the account that asked before": mixed("listLedger") },
  "LEDG-18": { "answers with the ledger entry of the account that asked before": mixed("getLedgerEntry") },
  "LEXP-04": { "exports the ledger of the account that asked before": mixed("exportLedger") },
  "USAG-35": { "answers with the usage events of the account that asked before": mixed("listUsage") },
  "USAG-26": { "answers with the usage event of the account that asked before": mixed("getUsageEvent") },
  "UEXP-03": { "exports the usage events of the account that asked before": mixed("exportUsage") },
  "UFED-07": { "answers with the feed of the account that asked before": mixed("listUsageFeed") },
});
