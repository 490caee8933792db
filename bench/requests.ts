import type { Request } from "autocannon";
import { sampleTools } from "../reference-server/catalog/sample-roles.ts";

const posting = (key: string, path: string, body: object): Request => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** One charged call for each account, with every default written out. */
export const paidCalls = (keys: readonly string[]): Request[] =>
  keys.map((key) =>
    posting(key, "/tools/execute", {
      tool_id: sampleTools.charged.id,
      parameters: sampleTools.charged.parameters,
      max_response_size: 20_480,
      respond_with: "full",
    }),
  );

/** One Discover for each query, with every default written out, spread over the accounts in turn. */
export const searches = (keys: readonly string[], queries: readonly string[], limit = 20): Request[] =>
  queries.map((query, index) =>
    posting(keys[index % keys.length]!, "/search", { query, limit, view: "full", lang: "en" }),
  );
