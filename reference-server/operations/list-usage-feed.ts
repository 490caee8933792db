import { readFeed } from "../audit/history.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { usage } from "../audit/usage.ts";
import { usageFeedItem } from "../audit/usage-event.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2/summary: the caller's events as a light feed, newest first. */
export const listUsageFeed: Operation<"listUsageFeed"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const scope = { database, accountId: caller.account.id };
    const { rows, paging } = await readFeed(usage, scope, readUsageFilter(query), query);
    return { status: 200, body: success({ items: rows.map(usageFeedItem), ...paging }) };
  });
