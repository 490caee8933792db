import {
  accepting,
  asAccount,
  asking,
  asOwnerOf,
  emptyList,
  ignoring,
  onAny,
  otherAccounts,
  refusing,
  taking,
} from "../../proof/audit-query.ts";
import { mutantsOf, onBody, onPath, type Body, type Mutant } from "../../proof/mutant.ts";
import { onItems, onList } from "./mutants.ts";
import { byCredential, joinItems, joiningAccounts, repeatingLast } from "./row-changes.ts";

const id = "listUsage";

/** Mutants of the usage list: its pages, its totals, its order and its details. */
export const mutants: Mutant[] = mutantsOf({
  "USAG-30": {
    "counts pages from 0": onPath(id, "data.page", (page) => Number(page) - 1),
    "answers every page as the first": onPath(id, "data.page", () => 1),
    "answers a page_size of 0": onPath(id, "data.page_size", () => 0),
  },
  "USAG-31": { "lists the oldest event of a page first": onList((rows) => [...rows].reverse()) },
  "USAG-32": {
    "counts the items of the page": onBody(id, (body) => {
      const data = body["data"] as Body;
      return { ...body, data: { ...data, total: (data["items"] as unknown[]).length } };
    }),
    "counts no more than 100 events": onPath(id, "data.total", (total) => Math.min(100, Number(total))),
    "counts one event too many": onPath(id, "data.total", (total) => Number(total) + 1),
    "answers a total below 0": onPath(id, "data.total", () => -1),
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
    "finds everybody's events of a credential type": joiningAccounts(id, joinItems, byCredential),
    "shows the newest event of every account on the first page": onAny(
      id,
      (operation) => async (request, context) => {
        const answer = await operation(request, context);
        const query = request.query as Body;
        const plain = query["search_id"] === undefined && query["start_date"] === undefined;
        if (!plain || query["page"] !== 1 || !("body" in answer) || answer.status !== 200) return answer;
        const body = answer.body as { data: { items: unknown[] } };
        for (const account of await otherAccounts(request, context)) {
          const theirs = await operation(
            { ...asAccount(request, account), query: { page: 1, page_size: 3 } },
            context,
          );
          if ("body" in theirs) body.data.items.push(...(theirs.body as typeof body).data.items);
        }
        return answer;
      },
    ),
  },
  "USAG-36": {
    "takes a page below 1 for the first": accepting(id, "page", emptyList),
    "takes a limit below 1 for none": accepting(id, "limit", emptyList),
  },
  "USAG-37": {
    "begins each page with the last item of the one before": onAny(
      id,
      (operation) => async (request, context) => {
        const answer = await operation(request, context);
        const query = request.query as { page: number };
        if (query.page === 1 || !("body" in answer) || answer.status !== 200) return answer;
        const before = await operation({ ...request, query: { ...query, page: query.page - 1 } }, context);
        const dataOf = (one: object): { items: unknown[] } =>
          (("body" in one ? one.body : {}) as { data: { items: unknown[] } }).data;
        const data = dataOf(answer);
        data.items = [...dataOf(before).items.slice(-1), ...data.items.slice(0, -1)];
        return answer;
      },
    ),
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
    "counts the pages before by page_size where limit is given": onAny(
      id,
      (operation) => async (request, context) => {
        const { limit, ...query } = request.query as { limit?: number; page?: number; page_size?: number };
        if (limit === undefined) return operation(request, context);
        const answer = await operation({ ...request, query }, context);
        const data = ("body" in answer ? answer.body : {}) as { data?: { items: Body[]; page_size: number } };
        if (data.data) Object.assign(data.data, { items: data.data.items.slice(0, limit), page_size: limit });
        return answer;
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
