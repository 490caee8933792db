import { csvStream } from "../audit/csv.ts";
import { exported } from "../audit/history.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { ledger } from "../audit/ledger.ts";
import { ledgerColumns } from "../audit/ledger-entry.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { csv, type Operation } from "../http/operation.ts";

/** GET /auth/credits/ledger/export: the caller's entries of a window as CSV, newest first. */
export const exportLedger: Operation<"exportLedger"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const scope = { database, accountId: caller.account.id };
    const filter = readLedgerFilter({ ...query, scope: query.scope ?? "account_history" });
    return csv(csvStream(ledgerColumns, exported(ledger, scope, filter)), "ledger.csv");
  });
