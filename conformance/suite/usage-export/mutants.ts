import { asOwnerOf } from "../../changes/audit-query.ts";
import { mutantsOf } from "../../changes/mutant.ts";
import { byCredential, joiningAccounts } from "../usage/row-changes.ts";

const id = "exportUsage";

export const mutants = mutantsOf({
  "UEXP-03": {
    "exports the events of every account": joiningAccounts(id),
    "exports other accounts' events by api_key_id": asOwnerOf(id, "api_key_id", "api_key_id"),
    "exports other accounts' events by credential_type": joiningAccounts(id, byCredential),
  },
});
