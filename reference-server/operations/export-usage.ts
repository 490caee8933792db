import { csvStream } from "../audit/csv.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { usageColumns } from "../audit/usage-event.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { exportedEvents } from "../audit/usage-reads.ts";
import { csv, type Operation } from "../http/operation.ts";

/** GET /auth/usage/history/v2/export: the caller's events as CSV, newest first; the filters are those of the list. */
export const exportUsage: Operation<"exportUsage"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const filter = readUsageFilter(query);
    return csv(csvStream(usageColumns, exportedEvents(database, caller.account.id, filter)), "usage.csv");
  });
