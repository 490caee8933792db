import { asOwnerOf } from "../../changes/audit-query.ts";
import { mutantsOf, onStatus } from "../../changes/mutant.ts";
import { csvRows } from "../../books/csv.ts";
import { byCredential, joiningAccounts } from "../usage/row-changes.ts";

const id = "exportUsage";

/** The rows of a text as a server writes them that joins its cells with commas. */
const unquoted = (csv: string): string =>
  csvRows(csv)
    .map((cells) => cells.join(","))
    .join("\r\n");

export const mutants = mutantsOf({
  "UEXP-02": {
    "joins the cells of an export with commas, and quotes none": onStatus(id, 200, (answer) => ({
      ...answer,
      body: unquoted(answer.body),
    })),
    "exports a row for each event that shows nothing of it": onStatus(id, 200, (answer) => ({
      ...answer,
      body: csvRows(answer.body)
        .map(() => "used")
        .join("\r\n"),
    })),
  },
  "UEXP-03": {
    "exports the events of every account": joiningAccounts(id),
    "exports other accounts' events by api_key_id": asOwnerOf(id, "api_key_id", "api_key_id"),
    "exports other accounts' events by credential_type": joiningAccounts(id, byCredential),
  },
});
