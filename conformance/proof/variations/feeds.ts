import type { Operation, Request } from "../../../reference-server/http/operation.ts";
import { onPath, variationsOf, type Body, type Change, type Variation } from "../../changes/mutant.ts";

const feeds = ["listUsageFeed", "listSettlements"] as const;

type Feed = (typeof feeds)[number];

/** Issues numbers as cursors; other fields are unchanged. */
function numberingCursors(shape: (data: Body, cursor: number | null) => Body): Change {
  const given: string[] = [];
  const numbered =
    <Id extends Feed>(operation: Operation<Id>): Operation<Id> =>
    async (request, context) => {
      const query = request.query as { cursor?: string };
      const cursor = query.cursor === undefined ? undefined : given[Number(query.cursor) - 1];
      const asked = { ...request, query: { ...query, cursor } } as Request<Id>;
      const answer = structuredClone(await operation(asked, context));
      const body = ("body" in answer ? answer.body : {}) as { data?: Body };
      const next = body.data?.["next_cursor"];
      if (body.data) body.data = shape(body.data, typeof next === "string" ? given.push(next) : null);
      return answer;
    };
  return {
    operations: (operations) => ({
      ...operations,
      listUsageFeed: numbered(operations.listUsageFeed),
      listSettlements: numbered(operations.listSettlements),
    }),
  };
}

/** Lawful forms of the two feeds, whose fields the contract does not show. */
export const feedVariations: readonly Variation[] = variationsOf({
  "Usage summary feed, settlement history: field list not shown": {
    "uses numbers as feed cursors and nests them": numberingCursors(({ items, has_more: more }, cursor) => ({
      items,
      paging: { cursors: { after: cursor }, has_next: more },
    })),
    "echoes the cursor of the request next to a link to the next page": onPath(
      feeds,
      "data",
      (data, { path, query }) => {
        const { items, next_cursor: next } = data as Body;
        return {
          prev_cursor: null,
          first_cursor: "abc123",
          cursor: query.get("cursor"),
          items,
          next: next === null ? null : `/api/v1${path}?page_size=1&cursor=${String(next)}#items`,
        };
      },
    ),
    "returns a cursor for tailing the feed on the last page": onPath(feeds, "data", (data) => {
      const { next_cursor: next, ...rest } = data as Body;
      return { ...rest, next_cursor: next ?? "tail-4711" };
    }),
    "names its cursors so that the next one cannot be identified": onPath(feeds, "data", (data) => {
      const { items, next_cursor: next } = data as Body;
      return { items, first_cursor: "abc123", last_cursor: next, prev_cursor: null, request_id: "r-4711" };
    }),
  },
  "Settlement history response: fields not shown": {
    "gives settlements no ledger entry ids": onPath("listSettlements", "data.items.*", (settlement) => {
      const { id, entry_type: kind, amount_credits: credits, created_at: at } = settlement as Body;
      return { settlement_id: `s${String(id)}`, kind, credits: -Number(credits), at };
    }),
  },
});
