import { asOwnerOf, ignoring, itemsOf, onData } from "../../changes/audit-query.ts";
import { mutantsOf } from "../../changes/mutant.ts";
import { byCredential, joiningAccounts } from "./row-changes.ts";

const id = "listUsage";

/** Mutants of the usage list: its pages, its totals, its order and its details. */
export const mutants = mutantsOf({
  "USAG-35": {
    "finds other accounts' events by search_id": asOwnerOf(id, "search_id", "search_id"),
    "finds other accounts' events by api_key_id": asOwnerOf(id, "api_key_id", "api_key_id"),
    "finds other accounts' events by credential_type": joiningAccounts(id, byCredential),
    "shows the newest events of other accounts on the first page": onData(
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
  "USAG-44": {
    "never shows details": ignoring(id, "include_details"),
  },
});
