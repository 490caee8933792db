import { asOwnerOf, forgettingBeside } from "../../changes/audit-query.ts";
import { mutantsOf, onHeaders, onStatus, type Change } from "../../changes/mutant.ts";
import {
  byCredential,
  classMutants,
  dateMutants,
  idMutants,
  joiningAccounts,
  leastAlone,
  serving,
} from "../usage/row-changes.ts";

const id = "exportUsage";

/** Changes the lines of the export, the header among them. */
const onLines = (change: (lines: string[]) => string[]): Change =>
  onStatus(id, 200, (answer) => ({
    ...answer,
    body: change(answer.body.split("\r\n").slice(0, -1)).join("\r\n") + "\r\n",
  }));

export const mutants = [
  ...mutantsOf({
    "UEXP-01": {
      "sends CSV as plain text": onHeaders(
        ({ operation }, { status }) => operation === id && status === 200,
        {
          "content-type": "text/plain; charset=utf-8",
        },
      ),
    },
    "UEXP-07": {
      "adds a cell to every row but the header": onLines(([header, ...rows]) => [
        header!,
        ...rows.map((row) => `${row},`),
      ]),
      "writes the end of a line in a cell without quotes": onStatus(id, 200, (answer) => ({
        ...answer,
        body: answer.body.replace(/"([^",\r]*\n[^",\r]*)"/g, "$1"),
      })),
    },
    "UEXP-02": {
      "exports empty cells alone": onLines((lines) => lines.map(() => lines[0]!.replace(/[^,]/g, ""))),
      "exports no capability query": onLines((lines) =>
        lines.filter((line) => !line.includes("capabilities_query")),
      ),
      "exports the newest 50 events": onLines((lines) => lines.slice(0, 51)),
      "exports no more than 100 events": onLines((lines) => lines.slice(0, 101)),
      "exports no more than 500 events": onLines((lines) => lines.slice(0, 501)),
      "exports the newest event twice": onLines(([header, ...rows]) => [
        header!,
        ...rows.slice(0, 1),
        ...rows,
      ]),
      "leaves out the oldest event": onLines((lines) => (lines.length > 3 ? lines.slice(0, -1) : lines)),
      "leaves out the second newest event": onLines((lines) => lines.filter((_, index) => index !== 2)),
    },
    "UEXP-03": {
      "exports the events of every account": joiningAccounts(id),
      "exports everybody's events of a key": asOwnerOf(id, "api_key_id", "api_key_id"),
      "exports everybody's events of a credential type": joiningAccounts(id, byCredential),
    },
    "UEXP-05": {
      "takes a value that it does not know for none": serving(id),
      "forgets reason_code beside a charge_outcome": forgettingBeside(id, "reason_code", "charge_outcome"),
    },
    "UEXP-06": { "takes a least amount above the greatest for the least alone": leastAlone(id) },
  }),
  ...dateMutants("UEXP-04", id),
  ...classMutants("UEXP-05", id),
  ...idMutants("UEXP-06", id),
];
