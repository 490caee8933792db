import { onBody, variationsOf } from "../../changes/mutant.ts";

export const variations = variationsOf({
  "The contract identified is the one used by the actual execution.": {
    "executes a query under a different contract than its detail shows": onBody("queryCapability", (body) =>
      typeof body["contract_version"] === "number"
        ? { ...body, contract_version: body["contract_version"] + 1, schema_hash: "ab".repeat(32) }
        : body,
    ),
  },
});
