import { readFeed } from "../audit/feed.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { usageFeedItem } from "../audit/usage-event.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { usageAfter } from "../audit/usage-reads.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2/summary: the caller's events as a light feed, newest first. */
export const listUsageFeed: Operation<"listUsageFeed"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const filter = readUsageFilter(query);
    const { rows, paging } = await readFeed("usage", query, (position, size) =>
      usageAfter(database, caller.account.id, filter, position, size),
    );
    return { status: 200, body: success({ items: rows.map(usageFeedItem), ...paging }) };
  });
