import { readFeed } from "../audit/feed.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { ledgerAfter } from "../audit/ledger-reads.ts";
import { settlementItems } from "../audit/settlements.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/account/settlement-history: the caller's settled movements as a light feed, newest first. */
export const listSettlements: Operation<"listSettlements"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const { start_date, end_date, scope = "account_history" } = query;
    const accountId = caller.account.id;
    const filter = readLedgerFilter({ start_date, end_date, scope });
    const { rows, paging } = await readFeed("settlements", query, (position, size) =>
      ledgerAfter(database, accountId, filter, position, size),
    );
    const items = await settlementItems(database, accountId, rows);
    return { status: 200, body: success({ items, ...paging }) };
  });
