import { answerQuery } from "../audit/invalid-query.ts";
import { inSnapshot } from "../audit/snapshot.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { creditsSpent } from "../audit/usage.ts";
import { boundText } from "../audit/window.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/usage/credits-spent: the total settled by the caller's events in a window. */
export const getCreditsSpent: Operation<"getCreditsSpent"> = ({ query, caller }, { database }) =>
  answerQuery(async () => {
    const { start_date, end_date, kind, charge_outcome } = query;
    const filter = readUsageFilter({ start_date, end_date, kind, charge_outcome });
    const accountId = caller.account.id;
    const total = await inSnapshot(database, (snapshot) =>
      creditsSpent({ database: snapshot, accountId }, filter),
    );
    return {
      status: 200,
      body: success({
        total_credits: total,
        start_date: boundText(filter.window.start),
        end_date: boundText(filter.window.end),
      }),
    };
  });
