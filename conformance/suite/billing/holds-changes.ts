import type { Micro } from "../../../reference-server/billing/money.ts";
import { onPart, type Change } from "../../changes/mutant.ts";

/** Refuses some holds for a Call although the balance covers them; serialised, like the books. */
export const refusingHolds = (chooses: (amount: Micro, available: Micro) => boolean): Change =>
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
