import { csvStream } from "../audit/csv.ts";
import { exported } from "../audit/history.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { usage } from "../audit/usage.ts";
import { usageColumns } from "../audit/usage-event.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { csv, type Operation } from "../http/operation.ts";

/** GET /auth/usage/history/v2/export: the caller's events as CSV, newest first; the filters are those of the list. */
export const exportUsage: Operation<"exportUsage"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const scope = { database, accountId: caller.account.id };
    return csv(csvStream(usageColumns, exported(usage, scope, readUsageFilter(query))), "usage.csv");
  });
