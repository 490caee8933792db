import type { Request } from "autocannon";
import { sampleTools } from "../reference-server/catalog/sample-roles.ts";

const posting = (key: string, path: string, body: object): Request => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** One charged call, with every default spelled out, from each account in turn. */
export const paidCalls = (keys: readonly string[]): Request[] =>
  keys.map((key) =>
    posting(key, "/tools/execute", {
      tool_id: sampleTools.charged.id,
      parameters: sampleTools.charged.parameters,
      max_response_size: 20_480,
      respond_with: "full",
    }),
  );

/** A Discover of each query, with every default spelled out, the accounts taking turns. */
export const searches = (keys: readonly string[], queries: readonly string[], limit = 20): Request[] =>
  queries.map((query, index) =>
    posting(keys[index % keys.length]!, "/search", { query, limit, view: "full", lang: "en" }),
  );
