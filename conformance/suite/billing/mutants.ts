import type { ReasonCode } from "../../../generated/contract.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { micro, type Micro } from "../../../reference-server/billing/money.ts";
import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import type { Tool } from "../../../reference-server/catalog/tool.ts";
import type { Bill, Books, Execution, Settlement } from "../../../reference-server/parts.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";
import {
  mutant,
  mutantsOf,
  onEach,
  onPart,
  onPath,
  type Body,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";

/** Settles differently from the reference, with a matching charge outcome. */
const settling = (
  amountOf: (settlement: Settlement, execution: Execution, bill: Bill, tool: Tool) => Micro,
): Change =>
  onPart("pricing", (pricing) => ({
    ...pricing,
    upperBound: (tool) => Math.max(pricing.upperBound(tool), micro(1)),
    settle: (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      const amount = amountOf(settlement, execution, bill, tool);
      return { ...settlement, amount, chargeOutcome: chargeOutcome(settlement.billableSuccess, amount) };
    },
  }));

/** Records a wrong reason in place of the right one. */
const confusing = (right: ReasonCode, wrong: ReasonCode): Change =>
  onPart("pricing", (pricing) => ({
    ...pricing,
    settle: (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      return settlement.reason === right ? { ...settlement, reason: wrong } : settlement;
    },
  }));

/** Changes every usage event that a list shows. */
const onEvents = (change: (event: Body) => Body): Change =>
  onPath(["listUsage", "getUsageEvent"], "data.items", (items) => (items as Body[]).map(change));

const withOutcome = (outcome: string, change: Body): Change =>
  onEvents((event) => (event["charge_outcome"] === outcome ? { ...event, ...change } : event));

const amounts = (amount: number): Body => ({ settled_amount_credits: amount, actual_amount_credits: amount });

const isFailedCall = (event: Body): boolean =>
  event["event_type"] === "tool_execute" && event["success"] === false;

/**
 * Books whose balance drifts from their entries: events and entries are right, but the remaining credits are not.
 * @param drift credits that a settlement loses (negative) or gains; `together` while another one is in progress
 */
const drifting = (drift: (event: NewUsageEvent, together: boolean) => Micro): Change =>
  onPart("books", (books) => {
    const drifted = new Map<string, Micro>();
    const underWay = new Map<string, number>();
    const seen = (account: string, amount: Micro): Micro => amount + (drifted.get(account) ?? 0);
    return {
      ...books,
      settle: async (executionId, event) => {
        const account = event.account_id;
        const count = (underWay.get(account) ?? 0) + 1;
        underWay.set(account, count);
        const recorded = await books.settle(executionId, event);
        underWay.set(account, underWay.get(account)! - 1);
        drifted.set(account, seen(account, drift(event, count > 1)));
        return { ...recorded, remaining: seen(account, recorded.remaining) };
      },
      record: async (event) => {
        const recorded = await books.record(event);
        if (recorded === "insufficient") return recorded;
        return { ...recorded, remaining: seen(event.account_id, recorded.remaining) };
      },
      balance: async (account) => {
        const balance = await books.balance(account);
        return { ...balance, available: seen(account, balance.available) };
      },
    };
  });

/** Performs a side effect with each charged Call after its settlement. */
const afterCharge = (
  act: (books: Books, event: NewUsageEvent, together: boolean) => Promise<unknown>,
): Change =>
  onPart("books", (books) => {
    const underWay = new Map<string, number>();
    return {
      ...books,
      settle: async (executionId, event) => {
        const account = event.account_id;
        const count = (underWay.get(account) ?? 0) + 1;
        underWay.set(account, count);
        const recorded = await books.settle(executionId, event);
        underWay.set(account, underWay.get(account)! - 1);
        if (event.settled_amount > 0) await act(books, event, count > 1);
        return recorded;
      },
    };
  });

const again = (books: Books, event: NewUsageEvent): Promise<unknown> =>
  books.record({ ...event, execution_id: null });

/** Checks the balance before it holds credits, not atomically, so that concurrent Calls all find the same balance. */
const checkingFirst: Change = onPart("books", (books) => {
  const debts = new Map<string, Micro>();
  const less = (account: string, amount: Micro): Micro => amount - (debts.get(account) ?? 0);
  return {
    ...books,
    hold: async (hold) => {
      const found = less(hold.accountId, (await books.balance(hold.accountId)).available);
      if (found < hold.amount) return false;
      if (await books.hold(hold)) return true;
      const lent = hold.amount;
      await books.move({
        accountId: hold.accountId,
        entryType: "grant_payment_recharge",
        amount: lent,
        description: "overdraft",
      });
      debts.set(hold.accountId, (debts.get(hold.accountId) ?? 0) + lent);
      return books.hold(hold);
    },
    settle: async (executionId, event) => {
      const recorded = await books.settle(executionId, event);
      return { ...recorded, remaining: less(event.account_id, recorded.remaining) };
    },
    record: async (event) => {
      const recorded = await books.record(event);
      if (recorded === "insufficient") return recorded;
      return { ...recorded, remaining: less(event.account_id, recorded.remaining) };
    },
    balance: async (account) => {
      const balance = await books.balance(account);
      return { ...balance, available: less(account, balance.available) };
    },
  };
});

/** The same race, but a negative balance appears as zero. */
const clamped: Change = {
  ...checkingFirst,
  ...onPath(["call", "inspect"], "remaining_credits", (value) => Math.max(0, Number(value))),
};

const hundredths = (amount: unknown): number => Math.round(Number(amount) * 100) / 100;

/** The reason of each role's Call, and a wrong one that a careless server might give. */
const confusions: readonly (readonly [ClauseId, ReasonCode, ReasonCode])[] = [
  ["BILL-25", "result.valid", "result.partial_success"],
  ["BILL-26", "result.partial_success", "result.valid"],
  ["BILL-27", "result.empty", "provider.error"],
  ["BILL-28", "provider.error", "provider.http_error"],
  ["BILL-29", "provider.http_error", "provider.error"],
  ["BILL-30", "provider.rate_limited", "provider.http_error"],
  ["BILL-31", "provider.auth_or_permission", "provider.http_error"],
  ["BILL-32", "transport.timeout", "transport.no_response"],
  ["BILL-33", "transport.no_response", "transport.timeout"],
  ["BILL-34", "transport.execution_failed", "transport.no_response"],
  ["BILL-35", "validation_error", "tool_unavailable"],
  ["BILL-36", "tool_unavailable", "validation_error"],
  ["BILL-37", "region_restricted", "tool_unavailable"],
  ["BILL-38", "oauth_signin_required", "provider.auth_or_permission"],
];

export const mutants: Mutant[] = [
  ...mutantsOf({
    "BILL-01": { "charges no Call": settling(() => 0) },
    "BILL-02": {
      "charges a hundredth of a credit for an included tool": settling((settlement, execution, bill) =>
        execution.success && bill.unitPrice === 0 ? micro(0.01) : settlement.amount,
      ),
      "keeps a little of the balance with a Call that costs nothing": drifting(
        ({ settled_amount, success }) => (success && settled_amount === 0 ? -micro(0.01) : 0),
      ),
    },
    "BILL-03": {
      "records every Call as a success": onEvents((event) => ({ ...event, success: true })),
      "records a Call of an unknown tool as a success": onEvents((event) =>
        event["reason_code"] === "tool_unavailable" ? { ...event, success: true } : event,
      ),
      "records no Call as a success": onEach("listUsage", "data.items", { success: false }),
    },
    "BILL-04": {
      "takes a hundredth less than it settles": drifting(() => micro(0.01)),
      "takes half as much again from the balance as it settles": drifting(
        ({ settled_amount }) => -settled_amount / 2,
      ),
    },
    "BILL-05": {
      "writes ledger amounts in hundredths": onEach("listLedger", "data.items", {
        amount_credits: hundredths,
      }),
      "writes the list price into the ledger where the event has a discount": onEvents((event) =>
        event["charge_outcome"] === "charged"
          ? { ...event, ...amounts(Number(event["settled_amount_credits"]) * 0.9) }
          : event,
      ),
    },
    "BILL-06": {
      "requests less than it settles": onEvents((event) => {
        const requested = Number(event["requested_amount_credits"]) * 0.99;
        return { ...event, requested_amount_credits: requested, pre_settlement_amount_credits: requested };
      }),
    },
    "BILL-07": {
      "shows a rounded list amount in billing": onPath(
        "call",
        "billing.list_amount_credits",
        (amount) => Number(amount) + 0.005,
      ),
    },
    "BILL-08": {
      "keeps balances in hundredths": onPath(["inspect", "call"], "remaining_credits", hundredths),
      "takes the price of a decimal Call in hundredths": drifting(
        ({ settled_amount }) => settled_amount - Math.ceil(settled_amount / 10_000) * 10_000,
      ),
    },
    "BILL-09": {
      "requests twice the amount of the billing_rule": onEvents((event) => {
        const requested = Number(event["requested_amount_credits"]) * 2;
        return { ...event, requested_amount_credits: requested, pre_settlement_amount_credits: requested };
      }),
    },
    "BILL-11": {
      "settles every charged Call twice": afterCharge(again),
      "writes the ledger entry of a Call twice": onPath("listLedger", "data.items", (items) =>
        (items as Body[]).flatMap((entry) => [
          entry,
          ...(entry["execution_id"] ? [{ ...entry, id: `${String(entry["id"])}-2` }] : []),
        ]),
      ),
      "links a Call to an entry that is another's": onEach("listUsage", "data.items", {
        credits_ledger_entry_id: "00000000-0000-4000-8000-000000000000",
      }),
      "links no capability query to its ledger entry": onEvents((event) =>
        event["event_type"] === "capabilities_query" ? { ...event, credits_ledger_entry_id: null } : event,
      ),
    },
    "BILL-12": {
      "loses the update of a balance when two Calls settle at the same time": drifting(
        ({ settled_amount }, together) => (together ? settled_amount : 0),
      ),
      "charges a Call twice when another one settles at the same time": afterCharge(
        async (books, event, together) => together && again(books, event),
      ),
      "takes a Call twice from the balance when another one settles at the same time": drifting(
        ({ settled_amount }, together) => (together ? -settled_amount : 0),
      ),
      "links Calls of the same moment to one ledger entry": onPath("listUsage", "data.items", (items) => {
        const linked = new Map<unknown, unknown>();
        return (items as Body[]).map((event) => {
          const second = String(event["created_at"]).slice(0, 19);
          const entry = event["credits_ledger_entry_id"];
          if (!entry) return event;
          if (!linked.has(second)) linked.set(second, entry);
          return { ...event, credits_ledger_entry_id: linked.get(second) };
        });
      }),
      "exchanges the execution_id of Calls of the same moment in the ledger": onPath(
        "listLedger",
        "data.items",
        (items) => {
          const list = items as Body[];
          const isCall = (entry: Body | undefined): boolean =>
            entry?.["entry_type"] === "consume_tool_execute";
          return list.map((entry, index) => {
            const other = list[index % 2 === 0 ? index + 1 : index - 1];
            return isCall(entry) && isCall(other)
              ? { ...entry, execution_id: other!["execution_id"] }
              : entry;
          });
        },
      ),
    },
    "BILL-13": {
      "takes the balance below zero when Calls race": checkingFirst,
      "takes the balance below zero when Calls race, and shows zero": clamped,
    },
    "BILL-14": {
      "classifies a charged Call as billed": withOutcome("charged", { charge_outcome: "billed" }),
      "never says how a Call was charged": withOutcome("charged", { charge_outcome: null }),
    },
    "BILL-15": { "settles a charged Call to zero": withOutcome("charged", amounts(0)) },
    "BILL-16": {
      "classifies a charged Call as included": withOutcome("charged", { charge_outcome: "included" }),
    },
    "BILL-17": { "shows an included Call with an amount": withOutcome("included", amounts(0.1)) },
    "BILL-18": {
      "classifies an included Call as charged": withOutcome("included", { charge_outcome: "charged" }),
    },
    "BILL-19": {
      "charges failed Calls, labelled failed_not_charged": {
        ...settling((settlement, execution, bill) =>
          execution.success ? settlement.amount : bill.listAmount,
        ),
        ...withOutcome("failed_charged_review", { charge_outcome: "failed_not_charged" }),
      },
    },
    "BILL-20": {
      "puts a failed Call without an amount up for review": withOutcome("failed_not_charged", {
        charge_outcome: "failed_charged_review",
      }),
    },
    "BILL-21": {
      "puts a failed Call up for review at no amount": withOutcome("failed_charged_review", amounts(0)),
      "does not link a Call that is up for review to its entry": withOutcome("failed_charged_review", {
        credits_ledger_entry_id: null,
      }),
    },
    "BILL-22": {
      "classifies a failed Call as included": withOutcome("failed_not_charged", {
        charge_outcome: "included",
      }),
      "charges a failed Call as if it had succeeded": onEvents((event) =>
        isFailedCall(event) ? { ...event, charge_outcome: "charged", ...amounts(2) } : event,
      ),
    },
    "BILL-23": {
      "charges failed Calls, and shows neither amount nor outcome": {
        ...settling((settlement, execution, bill) =>
          execution.success ? settlement.amount : bill.listAmount,
        ),
        ...onEvents((event) =>
          isFailedCall(event) ? { ...event, ...amounts(0), charge_outcome: "failed_not_charged" } : event,
        ),
      },
      "takes credits for a Call that times out": drifting((event) =>
        event.reason_code === "transport.timeout" ? -micro(0.1) : 0,
      ),
      "keeps a tenth of what it held for a failed Call": drifting((event) =>
        event.success ? 0 : -event.requested_amount / 10,
      ),
    },
    "BILL-24": { "gives a reason of its own": onEach("listUsage", "data.items", { reason_code: "ok" }) },
    "BILL-39": {
      "classifies a valid result as failed_not_charged": onEvents((event) =>
        event["reason_code"] === "result.valid" ? { ...event, charge_outcome: "failed_not_charged" } : event,
      ),
    },
    "BILL-40": {
      "puts a partial success up for review": onEvents((event) =>
        event["reason_code"] === "result.partial_success"
          ? { ...event, charge_outcome: "failed_charged_review" }
          : event,
      ),
    },
    "BILL-41": {
      "includes a Call that the provider fails": onEvents((event) =>
        String(event["reason_code"]).startsWith("provider.")
          ? { ...event, charge_outcome: "included" }
          : event,
      ),
    },
    "BILL-42": {
      "charges the list price under a policy exemption": settling((settlement, execution, bill) =>
        execution.success ? bill.listAmount : settlement.amount,
      ),
      "classifies a Call under a policy exemption as failed_not_charged": onEvents((event) =>
        event["event_type"] === "tool_execute" && event["charge_outcome"] === "included"
          ? { ...event, charge_outcome: "failed_not_charged" }
          : event,
      ),
    },
  }),
  ...confusions.map(([clause, right, wrong]) =>
    mutant(clause, `gives ${wrong} as the reason where ${right} is right`, confusing(right, wrong)),
  ),
];
