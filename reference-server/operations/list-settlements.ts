import { readFeed } from "../audit/history.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { ledger } from "../audit/ledger.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { settlementItems } from "../audit/settlements.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/account/settlement-history: the caller's settled movements as a light feed, newest first. */
export const listSettlements: Operation<"listSettlements"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const { start_date, end_date, scope = "account_history" } = query;
    const own = { database, accountId: caller.account.id };
    const filter = readLedgerFilter({ start_date, end_date, scope });
    const { rows, paging } = await readFeed(ledger, own, filter, query);
    return { status: 200, body: success({ items: await settlementItems(own, rows), ...paging }) };
  });
