import { answerQuery } from "../audit/invalid-query.ts";
import { readList } from "../audit/list.ts";
import { usage, usageSummaryBody } from "../audit/usage.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2: the caller's usage events, newest first. */
export const listUsage: Operation<"listUsage"> = ({ query, caller }, { database, clock }) =>
  answerQuery(async () => {
    const scope = { database, accountId: caller.account.id };
    const shape = { clock, summaryBody: usageSummaryBody };
    const { data, more } = await readList(usage, scope, query, readUsageFilter(query), shape);
    return { status: 200, body: success(data), ...(more && { more }) };
  });
