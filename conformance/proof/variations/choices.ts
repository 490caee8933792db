import type { UsageEventRow } from "../../../reference-server/records.ts";
import { randomUUID } from "node:crypto";
import { csvRows } from "../../books/csv.ts";
import { defaultProfile } from "../../server/profile.ts";
import { freeing } from "../../suite/billing/free-call-changes.ts";
import {
  onAnswers,
  onBody,
  onFields,
  onPart,
  onPath,
  variationsOf,
  withBody,
  type Body,
  type Change,
  type Variation,
} from "../../changes/mutant.ts";

/** The tool of the sample catalogue with a provider that delivers a partial result. */
const partialTool = "market.screener.v1";

/** Marks each parameter of a one-of group with the names of the whole group. */
const groupsByNames = (params: unknown): unknown => {
  if (!Array.isArray(params)) return params;
  const list = params as Body[];
  return list.map((param) => {
    const mark = param["one_of_required"];
    if (typeof mark !== "string") return param;
    const names = list.filter((param) => param["one_of_required"] === mark).map((param) => param["name"]);
    return { ...param, one_of_required: names };
  });
};

/** Settles the first calls of each account to zero. */
function includingFirst(calls: number): Change {
  const made = new Map<string, number>();
  return freeing(({ caller: { account } }) => {
    const count = (made.get(account.id) ?? 0) + 1;
    made.set(account.id, count);
    return count <= calls;
  });
}

/** Lawful choices of an independently written server. */
export const choiceVariations: readonly Variation[] = variationsOf({
  "Inspect response: remaining_credits (number or null)": {
    "returns null for remaining_credits in Inspect": onFields("inspect", { remaining_credits: () => null }),
  },
  "Claim-verify request: email (string); Claim-start request: email (string, e-mail address)": {
    "refuses a bad email in claim-verify with a 200 failure envelope": onAnswers(
      (request, answer) =>
        request.operation === "verifyClaim" &&
        answer.status === 422 &&
        /"email":"/.test(request.sent()) &&
        /e-?mail/i.test(answer.body),
      withBody(200, { status: "failure", message: "another address", status_code: -24, data: null }),
    ),
  },
  "Settlement history response: fields not shown": {
    "names the settlement cursor differently and omits it on the last page": onPath(
      "listSettlements",
      "data",
      (data) => {
        const { next_cursor: cursor, has_more: _more, ...rest } = data as Body;
        return cursor ? { ...rest, continuation: cursor } : rest;
      },
    ),
  },
  "params: one-of groups are marked one_of_required": {
    "marks one-of groups with the names of their parameters": onPath(
      ["discover", "inspect"],
      "results.*.params",
      groupsByNames,
    ),
  },
  "result.partial_success: charged, included or failed_not_charged": {
    "shows only one tool, whose provider delivers a partial result": {
      ...onBody(["discover", "inspect"], (body) => ({
        ...body,
        results: (body["results"] as Body[]).filter((result) => result["tool_id"] === partialTool),
      })),
      profile: ({ base_url: baseUrl }) => defaultProfile(baseUrl),
    },
  },
  "Charge outcomes: included, the amount is zero (included credits or policy exemption)": {
    "includes the first five Calls of every account and declares only its address": {
      ...includingFirst(5),
      profile: ({ base_url: baseUrl }) => defaultProfile(baseUrl),
    },
  },
  "an incomplete contract requires Inspect; lean trims per-capability metadata": {
    "shows only the names of parameters in Discover and in the lean view": onPath(
      ["discover", "inspect"],
      "results.*.params",
      (params, request) =>
        request.operation === "discover" || /"view":"lean"/.test(request.sent())
          ? (params as Body[]).map(({ name }) => ({ name }))
          : params,
    ),
  },
  "query: a natural-language capability query; ranked capabilities": {
    "finds something for every query but refuses one that is empty or contains a NUL": {
      ...onPart("catalog", (catalog) => ({
        ...catalog,
        find: (id) => catalog.find(id),
        capability: (id) => catalog.capability(id),
        search: (query, limit) => {
          const tools = catalog.search(query, limit);
          return tools.length > 0 ? tools : catalog.search("weather", limit);
        },
      })),
      ...onAnswers(
        (request, { status }) =>
          request.operation === "discover" &&
          status === 200 &&
          /"query":"("|[^"]*\\u0000)/.test(request.sent()),
        withBody(422, { detail: [] }),
      ),
    },
  },
  "tool_ids: string[], no number of them is stated": {
    "accepts up to 25 tool_ids at once and refuses more": onAnswers(
      (request, { status }) =>
        request.operation === "inspect" &&
        status === 200 &&
        (JSON.parse(request.sent()) as { tool_ids: string[] }).tool_ids.length > 25,
      withBody(422, { detail: [] }),
    ),
  },
  "tool.charged: any tool that costs credits": {
    "charges for a tool that takes no parameters": {
      profile: ({ tools, ...profile }) => ({
        ...profile,
        tools: { ...tools, charged: { id: "calendar.time-zones.v1", parameters: {} } },
      }),
    },
  },
  "APIResponse: status failure, data null; no status is named for an unknown id": {
    "reports an unknown event or ledger entry in a 200 failure envelope": onAnswers(
      ({ operation }, { status }) =>
        (operation === "getUsageEvent" || operation === "getLedgerEntry") && status === 404,
      withBody(200, { status: "failure", message: "There is none.", status_code: -4, data: null }),
    ),
  },
  "Account endpoints: a usage event is expected for each charged Call": {
    "records no usage event for a Call whose tool is unavailable": onPart("books", (books) => ({
      ...books,
      record: async (event) => {
        if (event.reason_code !== "tool_unavailable") return books.record(event);
        const { available } = await books.balance(event.account_id);
        return { event: {} as UsageEventRow, remaining: available };
      },
    })),
  },
  "verify-token response: fields not shown": {
    "reports the validity of a token only as a deeply nested number": onBody("verifyToken", (body) => ({
      ...body,
      message: "",
      data: { verdict: { id: randomUUID(), usable: (body["data"] as Body)["is_valid"] === true ? 1 : 0 } },
    })),
  },
  "404 or another 4xx for an unknown id; Discover, Inspect: error_message (string or null)": {
    "refuses unknown rows with 403 and returns an empty error_message from Discover and Inspect": {
      wire: (request, answer) => {
        const { operation } = request;
        const isRow = operation === "getUsageEvent" || operation === "getLedgerEntry";
        if (isRow && answer.status === 404) return { ...answer, status: 403 };
        const isSearch = operation === "discover" || operation === "inspect";
        if (!isSearch || answer.status !== 200) return answer;
        return {
          ...answer,
          body: JSON.stringify({ ...(JSON.parse(answer.body) as Body), error_message: "" }),
        };
      },
    },
  },
  "Columns of the CSV exports: not shown": {
    "puts row numbers in the id column of its exports and adds a total row": onAnswers(
      ({ operation }, { status }) =>
        status === 200 && (operation === "exportLedger" || operation === "exportUsage"),
      (answer) => ({ ...answer, body: numberedCsv(answer.body) }),
    ),
  },
});

/** The rows with their number in place of the id in the first column. */
function numberedCsv(text: string): string {
  const [header, ...rows] = csvRows(text);
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = [header!, ...rows.map((row, index) => [String(index + 1), ...row.slice(1)])];
  lines.push(header!.map((name) => (name === "id" ? "TOTAL" : "")));
  return lines.map((row) => row.map(cell).join(",")).join("\r\n");
}
