import { taking } from "../../changes/audit-query.ts";
import {
  onAnswers,
  onPath,
  together,
  variationsOf,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

const notShown = "Response is a lightweight events feed paged by `cursor`; its field list is not shown.";
const feeds = ["listUsageFeed", "listSettlements"] as const;

/** Takes the id of the last row of a page for the cursor to the next, and shows the rows alone. */
function cursorsOfRows(): Change {
  const cursors = new Map<string, string>();
  return together(
    {
      inward: ({ query }) => {
        const cursor = cursors.get(query.get("cursor") ?? "");
        if (cursor === undefined) return null;
        const known = new URLSearchParams(query);
        known.set("cursor", cursor);
        return { query: known };
      },
    },
    onPath(feeds, "data", (data) => {
      const { items, next_cursor: next } = data as { items: Body[]; next_cursor: unknown };
      const last = items.at(-1);
      if (last !== undefined && typeof next === "string") cursors.set(String(last["id"]), next);
      return { items };
    }),
  );
}

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
    "shows of each row of the feeds only its type and day": onPath(feeds, "data.items.*", (row) => {
      const { event_type, entry_type, created_at } = row as Body;
      return { type: event_type ?? entry_type, day: String(created_at).slice(0, 10) };
    }),
    "takes the id of the last row of a page as the cursor of the feeds, and shows no other": cursorsOfRows(),
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
