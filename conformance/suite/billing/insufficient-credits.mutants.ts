import type { Micro } from "../../../reference-server/billing/money.ts";
import { HttpError } from "../../../reference-server/http/errors.ts";
import { mutantsOf, onOperation, onPart, type Change } from "../../changes/mutant.ts";

/** Refuses some holds for a Call although the balance covers them; serialised, like the books. */
const refusingHolds = (chooses: (amount: Micro, available: Micro) => boolean): Change =>
  onPart("books", (books) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      ...books,
      hold: (hold) => {
        const held = last.then(async () => {
          const { available } = await books.balance(hold.accountId);
          return chooses(hold.amount, available) ? false : books.hold(hold);
        });
        last = held.catch(() => undefined);
        return held;
      },
    };
  });

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
    "refuses the last Call, which the balance exactly covers": refusingHolds(
      (amount, available) => amount > 0 && available === amount,
    ),
    "wants credits for a Call that is free": refusingHolds(
      (amount, available) => amount === 0 && available <= 0,
    ),
  },
  "INSP-16": { "refuses an Inspect to an account without credits": refusingPoor("inspect") },
  "PROB-08": { "refuses a Probe to an account without credits": refusingPoor("probe") },
});
