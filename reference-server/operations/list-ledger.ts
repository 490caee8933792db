import { answerQuery } from "../audit/invalid-query.ts";
import { ledger, ledgerSummaryBody } from "../audit/ledger.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { readList } from "../audit/list.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/credits/ledger: the caller's signed balance movements, newest first. */
export const listLedger: Operation<"listLedger"> = ({ query, caller }, { database, clock }) =>
  answerQuery(async () => {
    const scope = { database, accountId: caller.account.id };
    const shape = { clock, summaryBody: ledgerSummaryBody };
    const { data, more } = await readList(ledger, scope, query, readLedgerFilter(query), shape);
    return { status: 200, body: success(data), ...(more && { more }) };
  });
