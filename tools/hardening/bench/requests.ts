import type { Request } from "autocannon";
import { sampleCapabilities, sampleTools } from "../../../reference-server/catalog/sample-roles.ts";

const posting = (key: string, path: string, body: object): Request => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** One call for each account, with every default written out. */
const calls = ({ id, parameters }: { id: string; parameters: object }, keys: readonly string[]): Request[] =>
  keys.map((key) =>
    posting(key, "/tools/execute", {
      tool_id: id,
      parameters,
      max_response_size: 20_480,
      respond_with: "full",
    }),
  );

/** One charged call for each account. */
export const paidCalls = (keys: readonly string[]): Request[] => calls(sampleTools.charged, keys);

/** One Discover for each query, with every default written out, spread over the accounts in turn. */
export const searches = (keys: readonly string[], queries: readonly string[]): Request[] =>
  queries.map((query, index) =>
    posting(keys[index % keys.length]!, "/search", { query, limit: 20, view: "full", lang: "en" }),
  );

/** The operations whose cost is measured, each with one request for each account. */
export const costRequests = (keys: readonly string[]) => {
  const { id, parameters } = sampleTools.charged;
  const post = (path: string, body: object) => keys.map((key) => posting(key, path, body));
  const get = (path: string) =>
    keys.map((key): Request => ({ method: "GET", path, headers: { authorization: `Bearer ${key}` } }));
  return {
    "paid Call": paidCalls(keys),
    "free Call": calls(sampleTools.included, keys),
    "Discover of 20": keys.flatMap((key) => searches([key], ["weather", "company", "currency rate"])),
    Inspect: post("/tools/by-ids", { tool_ids: [id], view: "full", lang: "en" }),
    Probe: post(`/tools/probe?tool_id=${id}`, { parameters }),
    "capability query": post("/capabilities/query", {
      capability_id: sampleCapabilities.query.id,
      parameters: sampleCapabilities.query.parameters,
    }),
    credits: get("/auth/credits"),
    "usage, first page of 10": get("/auth/usage/history/v2?page_size=10"),
    "ledger, first page of 10": get("/auth/credits/ledger?page_size=10"),
  };
};
