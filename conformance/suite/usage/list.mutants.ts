import {
  accepting,
  asking,
  asOwnerOf,
  countingWithout,
  emptyList,
  ignoring,
  itemsOf,
  onData,
  refusing,
  taking,
} from "../../changes/audit-query.ts";
import { mutantsOf, onPath, type Body } from "../../changes/mutant.ts";
import { onItems, onList } from "./mutants.ts";
import { byCredential, joiningAccounts, repeatingLast } from "./row-changes.ts";

const id = "listUsage";

/** Mutants of the usage list: its pages, its totals, its order and its details. */
export const mutants = mutantsOf({
  "USAG-30": {
    "counts pages from 0": onPath(id, "data.page", (page) => Number(page) - 1),
    "answers every page as the first": onPath(id, "data.page", () => 1),
    "answers a page_size of 0": onPath(id, "data.page_size", () => 0),
  },
  "USAG-31": { "lists the oldest event of a page first": onList((rows) => [...rows].reverse()) },
  "USAG-32": {
    "counts the items of the page": onPath(id, "data", (data) => ({
      ...(data as Body),
      total: itemsOf(data as Body).length,
    })),
    "counts no more than 100 events": onPath(id, "data.total", (total) => Math.min(100, Number(total))),
    "counts one event too many": onPath(id, "data.total", (total) => Number(total) + 1),
    "answers a total below 0": onPath(id, "data.total", () => -1),
    "counts the events before start_date too": countingWithout(id, "start_date"),
    "counts the events after end_date too": countingWithout(id, "end_date"),
    "counts the events below min_credits too": countingWithout(id, "min_credits"),
  },
  "USAG-33": {
    "returns one item more than it says": onPath(id, "data.page_size", (size) =>
      Math.max(1, Number(size) - 1),
    ),
  },
  "USAG-34": {
    "answers an empty summary when none is asked for": onPath(id, "data.summary", (summary) => summary ?? {}),
    "answers no summary when one is asked for": onPath(id, "data.summary", () => null),
  },
  "USAG-35": {
    "finds everybody's events of a search": asOwnerOf(id, "search_id", "search_id"),
    "finds everybody's events of a key": asOwnerOf(id, "api_key_id", "api_key_id"),
    "finds everybody's events of a credential type": joiningAccounts(id, byCredential),
    "shows the newest event of every account on the first page": onData(
      id,
      async (data, { query, ask, others }) => {
        const plain = query["search_id"] === undefined && query["start_date"] === undefined;
        if (!plain || query["page"] !== 1) return;
        for (const account of await others()) {
          itemsOf(data).push(...itemsOf(await ask({ page: 1, page_size: 3 }, account)));
        }
      },
    ),
  },
  "USAG-36": {
    "takes a page below 1 for the first": accepting(id, "page", emptyList),
    "takes a limit below 1 for none": accepting(id, "limit", emptyList),
  },
  "USAG-37": {
    "begins each page with the last item of the one before": onData(id, async (data, { query, ask }) => {
      if (query["page"] === 1) return;
      const before = itemsOf(await ask({ ...query, page: Number(query["page"]) - 1 }));
      data["items"] = [...before.slice(-1), ...itemsOf(data).slice(0, -1)];
    }),
    "answers a page beyond the last with the last page": repeatingLast(id),
    "loses the last item of every full page": onList((rows, query) =>
      rows.length === Number(query.get("page_size")) ? rows.slice(0, -1) : rows,
    ),
  },
  "USAG-38": {
    "has 20 items on a page unless told": taking(id, "page_size", (size) => (size === 50 ? 20 : size)),
  },
  "USAG-39": {
    "refuses a page_size of more than 500 as the ledger does": refusing(
      id,
      (query) => Number(query.get("page_size")) > 1000,
      422,
    ),
  },
  "USAG-40": { "takes any page_size": accepting(id, "page_size", emptyList) },
  "USAG-41": { "always has 50 items on a page": taking(id, "page_size", () => 50) },
  "USAG-42": {
    "ignores limit where page_size is given": ignoring(id, "limit"),
    "takes the smaller one of limit and page_size": asking(id, (query) =>
      query["limit"] === undefined
        ? query
        : { ...query, limit: Math.min(Number(query["limit"]), Number(query["page_size"])) },
    ),
    "counts the pages before by page_size where limit is given": onData(
      id,
      async (data, { query: { limit, ...query }, ask }) => {
        if (limit === undefined) return;
        const items = itemsOf(await ask(query)).slice(0, Number(limit));
        Object.assign(data, { items, page_size: limit });
      },
    ),
  },
  "USAG-43": {
    "refuses a limit of 50": refusing(id, (query) => query.get("limit") === "50", 422),
    "takes any limit for the page_size": asking(id, ({ limit, ...query }) =>
      limit === undefined ? query : { ...query, page_size: limit },
    ),
  },
  "USAG-44": {
    "never shows details": ignoring(id, "include_details"),
    "shows details on the first page alone": asking(id, (query) =>
      Number(query["page"] ?? 1) > 1 ? { ...query, include_details: false } : query,
    ),
    "shows no details beside a summary": asking(id, (query) =>
      query["summary"] === true ? { ...query, include_details: false } : query,
    ),
    "stores no answers": onItems({ response_payload_summary: undefined }),
  },
  "USAG-45": { "always shows details": asking(id, (query) => ({ ...query, include_details: true })) },
});
