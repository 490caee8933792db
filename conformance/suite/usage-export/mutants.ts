import { asOwnerOf } from "../../changes/audit-query.ts";
import { mutantsOf } from "../../changes/mutant.ts";
import { byCredential, joiningAccounts } from "../usage/row-changes.ts";

const id = "exportUsage";

export const mutants = mutantsOf({
  "UEXP-03": {
    "exports the events of every account": joiningAccounts(id),
    "exports everybody's events of a key": asOwnerOf(id, "api_key_id", "api_key_id"),
    "exports everybody's events of a credential type": joiningAccounts(id, byCredential),
  },
});
