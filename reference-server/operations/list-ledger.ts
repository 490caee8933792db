import { readBucket } from "../audit/buckets.ts";
import { answerQuery } from "../audit/invalid-query.ts";
import { readLedgerFilter } from "../audit/ledger-filter.ts";
import { ledgerPage, ledgerSummary } from "../audit/ledger-reads.ts";
import { readPaging } from "../audit/paging.ts";
import { readPage } from "../audit/snapshot.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/credits/ledger: the caller's signed balance movements, newest first. */
export const listLedger: Operation<"listLedger"> = ({ query, caller }, { database, clock }) =>
  answerQuery(async () => {
    const accountId = caller.account.id;
    const filter = readLedgerFilter(query);
    const bucket = readBucket(query.bucket);
    const paging = readPaging(query);
    const data = await readPage(database, query, async (rows) => ({
      ...(await ledgerPage(rows, accountId, filter, paging)),
      page: paging.page,
      page_size: paging.pageSize,
      summary: query.summary
        ? await ledgerSummary(rows, accountId, filter, {
            bucket,
            samples: paging.samples,
            now: clock.now(),
          })
        : null,
    }));
    return { status: 200, body: success(data) };
  });
