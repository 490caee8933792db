import type { OperationId } from "../../../generated/contract.ts";
import { mutantsOf, onBody, together, type Body, type Change } from "../../changes/mutant.ts";
import type { Wire, WireRequest } from "../../changes/wire.ts";

/** How long after the last answer to a Call the server still counts as busy, in milliseconds. */
export const busyMs = 60;

/** A change of an operation's answers that acts only while Calls are answered, and so leaves no trace at rest. */
export function whileBusy(
  operation: OperationId | OperationId[],
  change: (body: Body, request: WireRequest) => Body,
): Change {
  let lastCall = 0;
  const noting: Wire = (request, answer) => {
    if (request.operation === "call" || request.operation === "queryCapability") lastCall = Date.now();
    return answer;
  };
  return together(
    { wire: noting },
    onBody(operation, (body, request) => (Date.now() - lastCall < busyMs ? change(body, request) : body)),
  );
}

/** The rows of a page with one of them twice, in the place of another. */
const repeating = (body: Body): Body => {
  const data = body["data"] as Body & { items: Body[] };
  return {
    ...body,
    data: { ...data, items: data.items.map((row, at, rows) => (at === 3 ? rows[2]! : row)) },
  };
};

export const mutants = mutantsOf({
  "LEDG-41": { "repeats an entry on a page while others are added": whileBusy("listLedger", repeating) },
  "USAG-37": { "repeats an event on a page while others are added": whileBusy("listUsage", repeating) },
});
