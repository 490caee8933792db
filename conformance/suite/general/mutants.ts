import { misread, taking } from "../../changes/audit-query.ts";
import { mutant, mutantsOf, onAnswers, type Body, type Change } from "../../changes/mutant.ts";
import type { OperationId } from "../../../generated/contract.ts";

/** Changes the failed envelopes of an operation. */
const onFailure = (operation: OperationId, fields: Record<string, unknown>): Change =>
  onAnswers(
    (request, answer) => request.operation === operation && answer.body.startsWith('{"status":"failure"'),
    (answer) => ({ ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as Body), ...fields }) }),
  );

export const mutants = [
  ...mutantsOf({
    "HTTP-08": { "returns status_code 0 on failure": onFailure("getLedgerEntry", { status_code: 0 }) },
  }),
  ...(
    [
      ["USAG-46", "listUsage"],
      ["LEDG-27", "listLedger"],
      ["UEXP-04", "exportUsage"],
      ["UFED-08", "listUsageFeed"],
      ["LEXP-03", "exportLedger"],
    ] as const
  ).map(([clause, id]) =>
    mutant(clause, `starts the day at 08:00 in ${id}`, taking(id, "start_date", misread.dayAtEight)),
  ),
];
