import { taking } from "../../changes/audit-query.ts";
import { onAnswers, onPath, variationsOf, withBody, type Body } from "../../changes/mutant.ts";

const notShown = "Response is a lightweight events feed paged by `cursor`; its field list is not shown.";
const feeds = ["listUsageFeed", "listSettlements"] as const;

/** Lawful feeds that the reference server does not give. */
export const variations = variationsOf({
  [notShown]: {
    "shows only the id and time of an event in the feed": onPath("listUsageFeed", "data.items.*", (event) => {
      const { id, created_at: at } = event as Body;
      return { event: { id }, at };
    }),
    "shows events without ids in the feed": onPath("listUsageFeed", "data.items.*", (event) => {
      const { event_type: type, created_at: at } = event as Body;
      return { type, at };
    }),
    "orders each page of the feeds from oldest to newest": onPath(feeds, "data.items", (items) =>
      (items as Body[]).toReversed(),
    ),
    "renames the list in the feeds and nests it": onPath(feeds, "data", (data) => {
      const { items, ...rest } = data as Body;
      return { page: { rows: items }, ...rest };
    }),
    "never fills a page of the feed": taking("listUsageFeed", "page_size", (size) =>
      Math.ceil(Number(size) / 2),
    ),
  },
  "400 conditions for audit and ledger queries; 422 validation error of any operation with parameters": {
    "answers an invalid date in the feeds and exports with 422": onAnswers(
      ({ operation }, { status }) =>
        status === 400 &&
        [...feeds, "exportUsage", "exportLedger", "getCreditsSpent", "getLedgerReadiness"].includes(
          operation ?? "",
        ),
      withBody(422, { detail: [] }),
    ),
  },
});
