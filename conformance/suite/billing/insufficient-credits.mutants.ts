import { HttpError } from "../../../reference-server/http/errors.ts";
import { mutantsOf, onOperation, type Change } from "../../changes/mutant.ts";
import { refusingHolds } from "./holds-changes.ts";

/** Answers 402 when no credits are left. */
const refusingPoor = (id: "inspect" | "probe"): Change =>
  onOperation(id, (run) => async (request, context) => {
    const { available } = await context.books.balance(request.caller.account.id);
    if (available <= 0) throw new HttpError(402, "There are no credits left.");
    return run(request, context);
  });

/** Mutants that wrongly report insufficient credits. */
export const mutants = mutantsOf({
  "CALL-37": {
    "refuses a Call that the balance exactly covers": refusingHolds(
      (amount, available) => amount > 0 && available === amount,
    ),
  },
  "INSP-16": { "refuses Inspect to an account without credits": refusingPoor("inspect") },
});
