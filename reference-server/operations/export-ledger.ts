import { csvStream } from "../audit/csv.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { ledgerColumns } from "../audit/ledger-entry.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { exportedEntries } from "../audit/ledger-reads.ts";
import { csv, type Operation } from "../http/operation.ts";

/** GET /auth/credits/ledger/export: the caller's entries of a window as CSV, newest first. */
export const exportLedger: Operation<"exportLedger"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const filter = readLedgerFilter({ ...query, scope: query.scope ?? "account_history" });
    return csv(csvStream(ledgerColumns, exportedEntries(database, caller.account.id, filter)), "ledger.csv");
  });
