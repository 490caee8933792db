import type { ReasonCode } from "../../../generated/contract.ts";
import type { ClauseId } from "../../../generated/clauses.ts";
import { micro, type Micro } from "../../../reference-server/billing/money.ts";
import { chargeOutcome } from "../../../reference-server/billing/outcome.ts";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import type { Tool } from "../../../reference-server/catalog/tool.ts";
import type { Bill, Books, Execution, Settlement } from "../../../reference-server/parts.ts";
import type { NewUsageEvent } from "../../../reference-server/records.ts";
import {
  moving,
  mutant,
  mutantsOf,
  onEach,
  onPart,
  onPath,
  together,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import { withoutAudit } from "./audit-changes.ts";

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

const chargingFailures = settling((settlement, execution, bill) =>
  execution.success ? settlement.amount : bill.listAmount,
);

/** Records a wrong reason in place of the right one. */
const confusing = (right: ReasonCode, wrong: ReasonCode): Change =>
  onPart("pricing", (pricing) => ({
    ...pricing,
    settle: (tool, execution, bill) => {
      const settlement = pricing.settle(tool, execution, bill);
      return settlement.reason === right ? { ...settlement, reason: wrong } : settlement;
    },
  }));

/** Changes some fields of the usage events that a list shows. */
const onEvents = (change: (event: Body) => Body): Change =>
  onPath("listUsage", "data.items.*", (event) => ({ ...(event as Body), ...change(event as Body) }));

const withOutcome = (outcome: string, change: Body): Change =>
  onEvents((event) => (event["charge_outcome"] === outcome ? change : {}));

const amounts = (amount: number): Body => ({ settled_amount_credits: amount, actual_amount_credits: amount });

/** Shows a multiple of the requested amount under both of its names. */
const requesting = (times: number): Change =>
  onEvents((event) => {
    const requested = Number(event["requested_amount_credits"]) * times;
    return { requested_amount_credits: requested, pre_settlement_amount_credits: requested };
  });

const isFailedCall = (event: Body): boolean =>
  event["event_type"] === "tool_execute" && event["success"] === false;

type Recorded = Awaited<ReturnType<Books["settle"]>>;

/** Settles, and then changes what was recorded; `together` while another settlement of the account is in progress. */
function settlingThen(
  books: Books,
  change: (recorded: Recorded, event: NewUsageEvent, together: boolean) => Recorded | Promise<Recorded>,
): Books["settle"] {
  const underWay = new Map<string, number>();
  return async (executionId, event) => {
    const account = event.account_id;
    const count = (underWay.get(account) ?? 0) + 1;
    underWay.set(account, count);
    const recorded = await books.settle(executionId, event);
    underWay.set(account, underWay.get(account)! - 1);
    return change(recorded, event, count > 1);
  };
}

/** Books that show another balance than they hold. */
const showing = (books: Books, seen: (account: string, amount: Micro) => Micro): Books => ({
  ...books,
  record: async (event) => {
    const recorded = await books.record(event);
    if (recorded === "insufficient") return recorded;
    return { ...recorded, remaining: seen(event.account_id, recorded.remaining) };
  },
  balance: async (account) => {
    const balance = await books.balance(account);
    return { ...balance, available: seen(account, balance.available) };
  },
});

/**
 * Books whose balance drifts from their entries: events and entries are right, but the remaining credits are not.
 * @param drift credits that a settlement loses (negative) or gains
 */
const drifting = (drift: (event: NewUsageEvent, together: boolean) => Micro): Change =>
  onPart("books", (books) => {
    const drifted = new Map<string, Micro>();
    const seen = (account: string, amount: Micro): Micro => amount + (drifted.get(account) ?? 0);
    return {
      ...showing(books, seen),
      settle: settlingThen(books, (recorded, event, together) => {
        const account = event.account_id;
        drifted.set(account, seen(account, drift(event, together)));
        return { ...recorded, remaining: seen(account, recorded.remaining) };
      }),
    };
  });

/** Performs a side effect with each charged Call after its settlement. */
const afterCharge = (
  act: (books: Books, event: NewUsageEvent, together: boolean) => Promise<unknown>,
): Change =>
  onPart("books", (books) => ({
    ...books,
    settle: settlingThen(books, async (recorded, event, together) => {
      if (event.settled_amount > 0) await act(books, event, together);
      return recorded;
    }),
  }));

const again = (books: Books, event: NewUsageEvent): Promise<unknown> =>
  books.record({ ...event, execution_id: null });

/** Checks the balance before it holds credits, not atomically, so that concurrent Calls all find the same balance. */
const checkingFirst: Change = onPart("books", (books) => {
  const debts = new Map<string, Micro>();
  const less = (account: string, amount: Micro): Micro => amount - (debts.get(account) ?? 0);
  return {
    ...showing(books, less),
    hold: async (hold) => {
      const { accountId, amount } = hold;
      if (less(accountId, (await books.balance(accountId)).available) < amount) return false;
      if (await books.hold(hold)) return true;
      await moving(books, accountId, amount / micro(1));
      debts.set(accountId, (debts.get(accountId) ?? 0) + amount);
      return books.hold(hold);
    },
    settle: settlingThen(books, (recorded, event) => ({
      ...recorded,
      remaining: less(event.account_id, recorded.remaining),
    })),
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

export const mutants = [
  ...mutantsOf({
    "BILL-01": { "charges nothing for any Call": settling(() => 0) },
    "BILL-02": {
      "charges a hundredth of a credit for an included tool": settling((settlement, execution, bill) =>
        execution.success && bill.unitPrice === 0 ? micro(0.01) : settlement.amount,
      ),
      "deducts a little from the balance for a Call that costs nothing": drifting(
        ({ settled_amount, success }) => (success && settled_amount === 0 ? -micro(0.01) : 0),
      ),
    },
    "BILL-03": {
      "records every Call as a success": onEvents(() => ({ success: true })),
      "records a Call of an unknown tool as a success": onEvents(({ reason_code: reason }) =>
        reason === "tool_unavailable" ? { success: true } : {},
      ),
      "records every Call as a failure": onEach("listUsage", "data.items", { success: false }),
    },
    "BILL-04": {
      "deducts 0.01 credits less than it settles": drifting(() => micro(0.01)),
      "deducts one and a half times the settled amount from the balance": drifting(
        ({ settled_amount }) => -settled_amount / 2,
      ),
      "deducts the list price of a discounted Call from the balance": drifting(
        ({ settled_amount, requested_amount }) =>
          settled_amount > 0 ? settled_amount - requested_amount : 0,
      ),
      "takes each charge twice, and has neither audit nor ledger to show it": together(
        drifting(({ settled_amount }) => -settled_amount),
        withoutAudit,
      ),
    },
    "BILL-05": {
      "rounds ledger amounts to hundredths": onEach("listLedger", "data.items", {
        amount_credits: hundredths,
      }),
      "writes the list price to the ledger although the usage event shows a discount": onEvents((event) =>
        event["charge_outcome"] === "charged" ? amounts(Number(event["settled_amount_credits"]) * 0.9) : {},
      ),
    },
    "BILL-06": {
      "shows a requested amount below the settled amount": requesting(0.99),
    },
    "BILL-07": {
      "shows a list amount in billing that is 0.005 credits too high": onPath(
        "call",
        "billing.list_amount_credits",
        (amount) => Number(amount) + 0.005,
      ),
    },
    "BILL-08": {
      "rounds balances to hundredths": onPath(["inspect", "call"], "remaining_credits", hundredths),
      "deducts the price of a decimal Call rounded up to hundredths": drifting(
        ({ settled_amount }) => settled_amount - Math.ceil(settled_amount / 10_000) * 10_000,
      ),
    },
    "BILL-09": {
      "shows a requested amount of twice the billing_rule": requesting(2),
    },
    "BILL-11": {
      "settles every charged Call twice": afterCharge(again),
      "settles a slow Call twice": afterCharge(
        async (books, event) => event.duration_ms !== null && event.duration_ms > 300 && again(books, event),
      ),
      "shows no usage events for a tool with large results": onPath("listUsage", "data.items", (items) =>
        (items as Body[]).filter(({ tool_id: tool }) => tool !== sampleTools.large_result.id),
      ),
      "writes the ledger entry of a Call twice": onPath("listLedger", "data.items", (items) =>
        (items as Body[]).flatMap((entry) => [
          entry,
          ...(entry["execution_id"] ? [{ ...entry, id: `${String(entry["id"])}-2` }] : []),
        ]),
      ),
      "links a Call to a ledger entry that is not its own": onEach("listUsage", "data.items", {
        credits_ledger_entry_id: "00000000-0000-4000-8000-000000000000",
      }),
      "does not link a capability query to its ledger entry": onEvents(({ event_type: type }) =>
        type === "capabilities_query" ? { credits_ledger_entry_id: null } : {},
      ),
    },
    "BILL-12": {
      "loses a balance update when two Calls settle at the same time": drifting(
        ({ settled_amount }, together) => (together ? settled_amount : 0),
      ),
      "charges a Call twice when another one settles at the same time": afterCharge(
        async (books, event, together) => together && again(books, event),
      ),
      "deducts a Call twice from the balance when another one settles at the same time": drifting(
        ({ settled_amount }, together) => (together ? -settled_amount : 0),
      ),
      "links simultaneous Calls to one ledger entry": onPath("listUsage", "data.items", (items) => {
        const linked = new Map<unknown, unknown>();
        return (items as Body[]).map((event) => {
          const second = String(event["created_at"]).slice(0, 19);
          const entry = event["credits_ledger_entry_id"];
          if (!entry) return event;
          if (!linked.has(second)) linked.set(second, entry);
          return { ...event, credits_ledger_entry_id: linked.get(second) };
        });
      }),
      "settles a Call twice if it names a model": afterCharge(
        async (books, event) => event.model !== null && again(books, event),
      ),
      "settles a Call twice if it requests an unlimited result size": afterCharge(
        async (books, event) => JSON.stringify(event.request_payload).includes("-1") && again(books, event),
      ),
      "swaps the execution_ids of adjacent Calls in the ledger": onPath(
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
      "takes the balance below zero when Calls race, but shows zero": clamped,
    },
    "BILL-14": {
      "classifies a charged Call as billed": withOutcome("charged", { charge_outcome: "billed" }),
      "shows no charge_outcome for a charged Call": withOutcome("charged", { charge_outcome: null }),
    },
    "BILL-15": { "shows a settled amount of zero for a charged Call": withOutcome("charged", amounts(0)) },
    "BILL-16": {
      "classifies a charged Call as included": withOutcome("charged", { charge_outcome: "included" }),
    },
    "BILL-17": { "shows a settled amount for an included Call": withOutcome("included", amounts(0.1)) },
    "BILL-18": {
      "classifies an included Call as charged": withOutcome("included", { charge_outcome: "charged" }),
    },
    "BILL-19": {
      "charges failed Calls but labels them failed_not_charged": {
        ...chargingFailures,
        ...withOutcome("failed_charged_review", { charge_outcome: "failed_not_charged" }),
      },
    },
    "BILL-20": {
      "classifies an uncharged failed Call as failed_charged_review": withOutcome("failed_not_charged", {
        charge_outcome: "failed_charged_review",
      }),
    },
    "BILL-21": {
      "shows a zero settled amount for a Call under review": withOutcome("failed_charged_review", amounts(0)),
      "does not link a Call under review to its ledger entry": withOutcome("failed_charged_review", {
        credits_ledger_entry_id: null,
      }),
    },
    "BILL-22": {
      "classifies a failed Call as included": withOutcome("failed_not_charged", {
        charge_outcome: "included",
      }),
      "charges a failed Call as if it had succeeded": onEvents((event) =>
        isFailedCall(event) ? { charge_outcome: "charged", ...amounts(2) } : {},
      ),
    },
    "BILL-23": {
      "charges failed Calls but shows them as not charged": {
        ...chargingFailures,
        ...onEvents((event) =>
          isFailedCall(event) ? { ...amounts(0), charge_outcome: "failed_not_charged" } : {},
        ),
      },
      "deducts credits for a Call that times out": drifting((event) =>
        event.reason_code === "transport.timeout" ? -micro(0.1) : 0,
      ),
      "keeps a little of the credits held for Calls that fail at the same time": drifting(
        (event, together) => (together && !event.success ? -micro(0.1) : 0),
      ),
      "keeps a tenth of the credits held for a failed Call": drifting((event) =>
        event.success ? 0 : -event.requested_amount / 10,
      ),
    },
    "BILL-24": { "invents its own reason_code": onEach("listUsage", "data.items", { reason_code: "ok" }) },
    "BILL-39": {
      "classifies a valid result as failed_not_charged": onEvents(({ reason_code: reason }) =>
        reason === "result.valid" ? { charge_outcome: "failed_not_charged" } : {},
      ),
    },
    "BILL-40": {
      "classifies a partial success as failed_charged_review": onEvents(({ reason_code: reason }) =>
        reason === "result.partial_success" ? { charge_outcome: "failed_charged_review" } : {},
      ),
    },
    "BILL-41": {
      "classifies a Call that fails at the provider as included": onEvents(({ reason_code: reason }) =>
        String(reason).startsWith("provider.") ? { charge_outcome: "included" } : {},
      ),
    },
    "BILL-42": {
      "charges the list price under a policy exemption": settling((settlement, execution, bill) =>
        execution.success ? bill.listAmount : settlement.amount,
      ),
      "classifies a Call under a policy exemption as failed_not_charged": onEvents((event) =>
        event["event_type"] === "tool_execute" && event["charge_outcome"] === "included"
          ? { charge_outcome: "failed_not_charged" }
          : {},
      ),
    },
  }),
  ...confusions.map(([clause, right, wrong]) =>
    mutant(clause, `gives ${wrong} as the reason instead of ${right}`, confusing(right, wrong)),
  ),
];
