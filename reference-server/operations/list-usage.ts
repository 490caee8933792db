import { readBucket } from "../audit/buckets.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { readPaging } from "../audit/paging.ts";
import { readPage } from "../audit/snapshot.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { usagePage } from "../audit/usage-reads.ts";
import { usageSummary } from "../audit/usage-summary.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/history/v2: the caller's usage events, newest first. */
export const listUsage: Operation<"listUsage"> = ({ query, caller }, { database, clock }) =>
  answerQuery(async () => {
    const accountId = caller.account.id;
    const filter = readUsageFilter(query);
    const bucket = readBucket(query.bucket);
    const paging = readPaging(query);
    const details = query.include_details ?? false;
    const data = await readPage(database, query, async (rows) => ({
      ...(await usagePage(rows, accountId, filter, paging, details)),
      page: paging.page,
      page_size: paging.pageSize,
      summary: query.summary
        ? await usageSummary(rows, accountId, filter, {
            bucket,
            samples: paging.samples,
            details,
            now: clock.now(),
          })
        : null,
    }));
    return { status: 200, body: success(data) };
  });
