import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import type { Books, Settlement } from "../../../reference-server/parts.ts";
import { credits, micro, type Micro } from "../../../reference-server/billing/money.ts";
import { answering, onPart, together, variationsOf, type Change } from "../../changes/mutant.ts";
import { refusingHolds } from "./holds-changes.ts";
import { onEvents } from "../usage/variations.ts";

type Balance = Awaited<ReturnType<Books["balance"]>>;
type Recorded = Awaited<ReturnType<Books["settle"]>>;

/** Settles some failed Calls differently from the reference. */
const settling = (change: (settlement: Settlement, listAmount: number) => Partial<Settlement>): Change =>
  onPart("pricing", (pricing) => ({
    ...pricing,
    settle: (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      if (settlement.reason !== "provider.error") return settlement;
      const changed = { ...settlement, ...change(settlement, bill.listAmount) };
      return { ...changed, chargeOutcome: chargeOutcome(changed.billableSuccess, changed.amount) };
    },
  }));

/**
 * Accounts that have bought credits have a plan too. Its credits are part of what remains: an included Call uses some, and
 * the ledger has no entry of them.
 */
function withPlan(planned: Micro, each: Micro): Change {
  const used = new Map<string, Micro>();
  const left = ({ purchased }: Balance, account: string): Micro =>
    purchased.total > 0 ? planned - (used.get(account) ?? 0) : 0;
  const showing = async (books: Books, recorded: Recorded, account: string): Promise<Recorded> => ({
    ...recorded,
    remaining: recorded.remaining + left(await books.balance(account), account),
  });
  return together(
    onPart("books", (books) => ({
      ...books,
      record: async (event) => {
        const recorded = await books.record(event);
        return recorded === "insufficient" ? recorded : showing(books, recorded, event.account_id);
      },
      balance: async (account) => {
        const balance = await books.balance(account);
        return { ...balance, available: balance.available + left(balance, account) };
      },
      settle: async (executionId, event) => {
        const recorded = await books.settle(executionId, event);
        const account = event.account_id;
        if (event.success && event.settled_amount === 0)
          used.set(account, Math.min(planned, (used.get(account) ?? 0) + each));
        return showing(books, recorded, account);
      },
    })),
    answering("getCredits", async ({ body: { data, ...envelope } }, { caller: { account } }, { books }) => {
      const remaining = credits(left(await books.balance(account.id), account.id));
      const plan = { remaining, total: credits(planned) };
      return { status: 200, body: { ...envelope, data: { ...data, daily_free: plan } } };
    }),
  );
}

/** Lawful charges that the reference server does not make. */
export const variations = variationsOf({
  "failed_charged_review | Effective success is false but the amount is positive; a support/review case": {
    "charges Calls that fail at the provider, subject to review": settling((_, amount) => ({ amount })),
    "shows a requested amount of zero for a failed Call that it charges under review": together(
      settling((_, amount) => ({ amount })),
      onEvents(({ charge_outcome: outcome }) =>
        outcome === "failed_charged_review"
          ? { requested_amount_credits: 0, pre_settlement_amount_credits: 0, pre_settlement_bill: null }
          : {},
      ),
    ),
  },
  "included | Effective success is true and the amount is zero (included credits or policy exemption)": {
    "counts the credits of a plan, which included Calls use, in what remains": withPlan(
      micro(40),
      micro(0.25),
    ),
  },
  "402 insufficient credits; whether an account without credits may make a free Call is unspecified": {
    "refuses a free Call from an account without credits": refusingHolds(
      (amount, available) => amount === 0 && available <= 0,
    ),
  },
  "`success` alone does not decide the final charge.": {
    "charges Calls that fail at the provider as effective successes": settling((_, amount) => ({
      amount,
      billableSuccess: true,
    })),
    "classifies Calls that fail at the provider as included": settling(() => ({ billableSuccess: true })),
  },
});
