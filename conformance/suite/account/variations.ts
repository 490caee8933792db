import { micro } from "../../../reference-server/billing/money.ts";
import {
  onAnswers,
  onPart,
  onPath,
  together,
  variationsOf,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import { withoutAudit } from "../billing/audit-changes.ts";

const spent = "Credits-spent response: fields not shown";
const balance = "Credits balance response (GET /auth/credits): … field names not shown.";

/** Grants a reward after each charged Call; `remaining_credits` of the Call may show it. */
const rewarding = (credits: number, { shown }: { shown: boolean }): Change =>
  onPart("books", (books) => ({
    ...books,
    settle: async (executionId, event) => {
      const recorded = await books.settle(executionId, event);
      if (event.settled_amount === 0) return recorded;
      const [accountId, amount] = [event.account_id, micro(credits)];
      await books.move({ accountId, entryType: "grant_invitation_reward", amount, description: "a reward" });
      return shown ? { ...recorded, remaining: recorded.remaining + amount } : recorded;
    },
  }));

/** Lawful account reads that the reference server does not give. */
export const variations = variationsOf({
  [balance]: {
    "lists the categories of credits next to the total": onPath("getCredits", "data", (data) => {
      const { remaining_credits: total, ...categories } = data as Body;
      return {
        remaining_total: total,
        detail: Object.entries(categories).map(([name, amounts]) => ({ name, ...(amounts as Body) })),
      };
    }),
    "writes credits as strings with a unit": onPath("getCredits", "data", (data) => {
      const { remaining_credits: total, purchased } = data as { remaining_credits: number; purchased: Body };
      return { total: `${total} credits`, purchased: `${String(purchased["remaining"])} credits` };
    }),
    "writes credits as decimal strings": onPath("getCredits", "data", (data) => {
      const { remaining_credits: total, ...categories } = data as Body;
      return { remaining_credits: String(total), ...categories };
    }),
  },
  [spent]: {
    "writes the credits spent as a deeply nested decimal string": onPath(
      "getCreditsSpent",
      "data",
      (data) => ({
        totals: { spent: { credits: String((data as Body)["total_credits"]) } },
      }),
    ),
    "writes the credits spent as a string with a unit": onPath("getCreditsSpent", "data", (data) => ({
      spent: `${String((data as Body)["total_credits"])} credits`,
    })),
    "also shows the credits spent in micro-credits": onPath("getCreditsSpent", "data", (data) => ({
      ...(data as Body),
      total_micro: 1_000_000 * Number((data as Body)["total_credits"]),
    })),
  },
  "Total credits spent in a date range (single aggregate, no pagination)": {
    "refuses a page parameter for the credits spent": onAnswers(
      ({ operation, query }) => operation === "getCreditsSpent" && query.has("page"),
      withBody(422, { detail: [] }),
    ),
  },
  "params start_date, end_date: whether one goes without the other is not stated": {
    "requires a start_date for the credits spent when end_date is given": onAnswers(
      ({ operation, query }) =>
        operation === "getCreditsSpent" && query.has("end_date") && !query.has("start_date"),
      withBody(422, { detail: [] }),
    ),
  },
  "grant_invitation_reward: when it is granted is not stated": {
    "rewards each charged Call with a credit": rewarding(1, { shown: true }),
    "rewards each charged Call with half a credit that its answer does not show": rewarding(0.5, {
      shown: false,
    }),
    "rewards each charged Call with a credit, and has no ledger to show it": together(
      rewarding(1, { shown: true }),
      withoutAudit,
    ),
  },
  "Ledger readiness response: fields not shown.": {
    "shows only the read mode in the ledger readiness": onPath("getLedgerReadiness", "data", () => ({
      mode: "ledger",
    })),
  },
  "Lightweight settlement feed: which of the entries it shows is not stated": {
    "shows only the settlements of Calls, and of each its type and day": onPath(
      "listSettlements",
      "data.items",
      (items) =>
        (items as Body[])
          .filter(({ entry_type: type }) => type === "consume_tool_execute")
          .map(({ entry_type: type, created_at: at }) => ({ type, day: String(at).slice(0, 10) })),
    ),
    "shows only the settlements of Calls": onPath("listSettlements", "data.items", (items) =>
      (items as Body[]).filter((item) => String(item["entry_type"]).startsWith("consume_")),
    ),
  },
});
