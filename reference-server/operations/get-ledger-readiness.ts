import { answerQuery } from "../audit/invalid-query.ts";
import { ledgerReadiness } from "../audit/readiness.ts";
import { inSnapshot } from "../audit/snapshot.ts";
import { readWindow } from "../audit/window.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/credits/ledger-readiness: whether the ledger by itself gives the caller's whole history. */
export const getLedgerReadiness: Operation<"getLedgerReadiness"> = ({ query, caller }, { database, clock }) =>
  answerQuery(async () => {
    const window = readWindow(query);
    const data = await inSnapshot(database, (snapshot) =>
      ledgerReadiness({ database: snapshot, accountId: caller.account.id }, window, clock.now()),
    );
    return { status: 200, body: success(data) };
  });
