import type { ChargeOutcome, EntryType, EventType } from "../../generated/contract.ts";
import type { AccountRow, Held, HoldRow, LedgerRow, NewUsageEvent, UsageEventRow } from "../records.ts";
import { kindOf, usageEventColumns } from "../records.ts";
import type { Recorded } from "../parts.ts";
import { credits } from "./money.ts";
import type { Micro } from "./money.ts";
import { chargeOutcome } from "./outcome.ts";
import { billingSummary, interrupted } from "./statement.ts";

/** A command refused by the books; nothing was changed. The message says what would be right. */
export class BookRefusal extends Error {
  override name = "BookRefusal";
}

/** An execution that is already settled or void, or was never held. */
export class NoOpenHold extends BookRefusal {
  override name = "NoOpenHold";
}

/** The operator has closed the account: nothing more is held or charged. */
export class AccountClosed extends BookRefusal {
  override name = "AccountClosed";
}

/** The initial state of a batch, loaded inside its transaction. */
export interface Opening {
  accounts: readonly AccountRow[];
  holds: readonly Held[];
  /** The last numbers assigned. */
  usageSeq: number;
  ledgerSeq: number;
  /** The time of everything written in this batch; not before anything written earlier. */
  now: number;
  /** The owner of the holds that this batch opens. */
  owner: string;
  newId: () => string;
}

const consumed: Readonly<Record<EventType, EntryType>> = {
  search: "consume_tool_search",
  search_by_ids: "consume_tool_search",
  tool_execute: "consume_tool_execute",
  capabilities_query: "consume_tool_execute",
  model_call: "consume_model_call",
};

const granted = {
  grant_payment_recharge: "purchased",
  grant_welcome_bonus: "welcome",
  grant_invitation_reward: "invite",
} as const;

/** The order in which credits are spent: free credits first, purchased ones last. */
const spendingOrder = ["invite", "welcome", "purchased"] as const;
type Category = (typeof spendingOrder)[number];

/** The columns of an account that the books change. */
export const amountColumns = [
  "welcome_remaining",
  "welcome_total",
  "invite_remaining",
  "invite_total",
  "purchased_remaining",
  "purchased_total",
  "held",
] as const satisfies readonly (keyof AccountRow)[];

const remainingOf = (account: AccountRow): Micro =>
  account.welcome_remaining + account.invite_remaining + account.purchased_remaining;

/** The spendable amount: everything remaining less what is held. */
export const availableOf = (account: AccountRow): Micro => remainingOf(account) - account.held;

/**
 * The books of the accounts in one batch, in memory. Each command checks first and changes afterwards, so a refused
 * command leaves no trace. The changes are read from the public fields and written in the batch's transaction. Uses
 * neither SQL nor the clock.
 */
export class Book {
  readonly accounts = new Map<string, AccountRow>();
  readonly holds = new Map<string, Held>();
  /** Accounts with something written. */
  readonly touched = new Set<AccountRow>();
  readonly opened = new Map<string, HoldRow>();
  readonly closed = new Set<string>();
  readonly events: UsageEventRow[] = [];
  readonly entries: LedgerRow[] = [];
  readonly #opening: Opening;

  constructor(opening: Opening) {
    this.#opening = opening;
    for (const account of opening.accounts) this.accounts.set(account.id, { ...account });
    for (const hold of opening.holds) this.holds.set(hold.execution_id, hold);
  }

  /** Accounts whose amounts have changed. */
  changed(): AccountRow[] {
    return this.#opening.accounts.flatMap((before) => {
      const account = this.accounts.get(before.id)!;
      return amountColumns.some((column) => account[column] !== before[column]) ? [account] : [];
    });
  }

  /** Reserves `amount` for one execution; `false` if the available amount does not cover it. */
  hold(hold: { accountId: string; executionId: string; amount: Micro; event: NewUsageEvent }): boolean {
    const account = this.#account(hold.accountId);
    assertOpen(account);
    assertAmount(hold.amount, "a hold");
    if (this.holds.has(hold.executionId))
      throw new BookRefusal(`execution ${hold.executionId} has its hold already`);
    if (availableOf(account) < hold.amount) return false;
    account.held += hold.amount;
    this.touched.add(account);
    const row: HoldRow = {
      execution_id: hold.executionId,
      account_id: hold.accountId,
      amount: hold.amount,
      event: JSON.stringify(hold.event),
      owner: this.#opening.owner,
      created_at: this.#opening.now,
    };
    this.holds.set(row.execution_id, row);
    this.opened.set(row.execution_id, row);
    return true;
  }

  /**
   * Ends a hold with its event and, for a positive amount, its entry. Refuses a second settlement of a hold, and one
   * of a closed account unless its outcome is `failed_not_charged`.
   */
  settle(executionId: string, event: NewUsageEvent): Recorded {
    const hold = this.holds.get(executionId);
    if (hold === undefined) {
      throw new NoOpenHold(`execution ${executionId} has no open hold: it was settled or voided before`);
    }
    if (event.settled_amount > hold.amount) {
      throw new BookRefusal(
        `execution ${executionId} cannot settle ${event.settled_amount} micro-credits: ${hold.amount} are held`,
      );
    }
    if (event.account_id !== hold.account_id || event.execution_id !== executionId) {
      throw new BookRefusal(
        `the event of execution ${executionId} names another execution or account than its hold`,
      );
    }
    const account = this.#account(hold.account_id);
    if (event.charge_outcome !== "failed_not_charged") assertOpen(account);
    assertSettlement(event);
    account.held -= hold.amount;
    this.holds.delete(executionId);
    if (!this.opened.delete(executionId)) this.closed.add(executionId);
    return this.#write(account, event);
  }

  /** Writes an event without a hold; returns `insufficient` and writes nothing if its amount is not available. */
  record(event: NewUsageEvent): Recorded | "insufficient" {
    const account = this.#account(event.account_id);
    if (event.settled_amount > 0) assertOpen(account);
    assertSettlement(event);
    if (event.settled_amount > 0 && availableOf(account) < event.settled_amount) return "insufficient";
    return this.#write(account, event);
  }

  /** A grant, or a refund that takes purchased credits back. Returns the entry's id. */
  move(move: {
    accountId: string;
    entryType: EntryType;
    amount: Micro;
    description: string;
    sourceSystem: string;
  }): string {
    const account = this.#account(move.accountId);
    const { entryType, amount } = move;
    if (!Number.isSafeInteger(amount)) {
      throw new BookRefusal(`a movement of ${amount} micro-credits: expected an integer that is exact`);
    }
    const category = categoryMoved(entryType);
    if (category === undefined) {
      throw new BookRefusal(
        `${entryType} cannot be moved by itself: expected ${Object.keys(granted).join(", ")} or consume_payment_refund`,
      );
    }
    if (amount === 0 || amount > 0 !== entryType in granted) {
      throw new BookRefusal(
        `a ${entryType} of ${credits(amount)}: expected a ${entryType in granted ? "positive" : "negative"} amount`,
      );
    }
    const left = Math.min(account[`${category}_remaining`], availableOf(account));
    if (amount < 0 && left < -amount) {
      throw new BookRefusal(
        `a refund of ${credits(-amount)} credits is more than the ${credits(left)} ${category} credits that are left`,
      );
    }
    if (
      !Number.isSafeInteger(account.welcome_total + account.invite_total + account.purchased_total + amount)
    ) {
      throw new BookRefusal(`account ${account.id} would own more credits than can be kept exactly`);
    }
    const before = remainingOf(account);
    account[`${category}_remaining`] += amount;
    account[`${category}_total`] += amount;
    this.touched.add(account);
    const entry = this.#entry(account, entryType, before, amount, { [category]: credits(amount) });
    Object.assign(entry, { source_system: move.sourceSystem, description: move.description });
    return entry.id;
  }

  /**
   * Ends the hold of a process that died, with an event that says so.
   * @param known the event of the hold
   */
  void(executionId: string, known: NewUsageEvent): Recorded {
    const settlement = {
      billableSuccess: false,
      amount: 0,
      chargeOutcome: "failed_not_charged",
      reason: interrupted.reason,
    } as const;
    return this.settle(executionId, {
      ...known,
      success: false,
      billable_success: false,
      charge_outcome: settlement.chargeOutcome,
      reason_code: settlement.reason,
      error_message: interrupted.message,
      response_payload_summary: null,
      execution_outcome: null,
      outcome: null,
      outcome_message: null,
      settlement_result: {
        settled_amount_credits: 0,
        charge_outcome: settlement.chargeOutcome,
        reason_code: settlement.reason,
      },
      settled_amount: 0,
      billing_summary: billingSummary(settlement, null),
    });
  }

  #account(id: string): AccountRow {
    const account = this.accounts.get(id);
    if (account === undefined) throw new BookRefusal(`there is no account ${id}`);
    return account;
  }

  #write(account: AccountRow, event: NewUsageEvent): Recorded {
    this.touched.add(account);
    const row = eventRow(event, {
      seq: this.#opening.usageSeq + this.events.length + 1,
      id: this.#opening.newId(),
      created_at: this.#opening.now,
    });
    if (event.settled_amount > 0) {
      const before = remainingOf(account);
      const spent = spend(account, event.settled_amount);
      const entry = this.#entry(account, consumed[event.event_type], before, -event.settled_amount, spent);
      row.credits_ledger_entry_id = entry.id;
      entry.source_system = row.source_system;
      entry.source_ref_type = "usage_event";
      entry.source_ref_id = row.id;
      entry.execution_id = row.execution_id;
      entry.pre_settlement_bill = row.pre_settlement_bill;
      entry.settlement_result = row.settlement_result;
      entry.description = row.billing_summary ?? row.event_type;
    }
    this.events.push(row);
    return { event: row, remaining: availableOf(account) };
  }

  #entry(
    account: AccountRow,
    entryType: EntryType,
    before: Micro,
    amount: Micro,
    categories: Partial<Record<Category, number>>,
  ): LedgerRow {
    const entry: LedgerRow = {
      seq: this.#opening.ledgerSeq + this.entries.length + 1,
      id: this.#opening.newId(),
      account_id: account.id,
      entry_type: entryType,
      amount,
      source_system: "books",
      source_ref_type: null,
      source_ref_id: null,
      execution_id: null,
      pre_settlement_bill: null,
      settlement_result: null,
      balance_before: before,
      balance_after: remainingOf(account),
      ledger_metadata: JSON.stringify({ categories }),
      description: "",
      created_at: this.#opening.now,
    };
    if (entry.balance_after !== before + amount)
      throw new Error(`entry ${entry.id} would break the chain of balances`);
    this.entries.push(entry);
    return entry;
  }
}

const categoryMoved = (entryType: EntryType): Category | undefined => {
  if (entryType === "consume_payment_refund") return "purchased";
  return entryType in granted ? granted[entryType as keyof typeof granted] : undefined;
};

/** Takes an amount from the categories in order; returns the share of each, in negative credits. */
function spend(account: AccountRow, amount: Micro): Partial<Record<Category, number>> {
  const parts: Partial<Record<Category, number>> = {};
  let open = amount;
  for (const category of spendingOrder) {
    const part = Math.min(open, account[`${category}_remaining`]);
    if (part === 0) continue;
    account[`${category}_remaining`] -= part;
    parts[category] = credits(-part);
    open -= part;
  }
  if (open > 0)
    throw new Error(`account ${account.id} is short of ${open} micro-credits that were held for it`);
  return parts;
}

function assertOpen(account: AccountRow): void {
  if (account.closed_at !== null) throw new AccountClosed(`account ${account.id} is closed`);
}

function assertAmount(amount: Micro, what: string): void {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new BookRefusal(`${what} of ${amount} micro-credits: expected an integer from 0 to 2^53 - 1`);
  }
}

function assertSettlement(event: NewUsageEvent): void {
  assertAmount(event.settled_amount, "a settlement");
  assertAmount(event.requested_amount, "a pre-settlement amount");
  const outcome: ChargeOutcome = chargeOutcome(event.billable_success, event.settled_amount);
  if (event.charge_outcome !== outcome) {
    throw new BookRefusal(
      `charge outcome ${event.charge_outcome}: effective success ${event.billable_success} and ${event.settled_amount} micro-credits make ${outcome}`,
    );
  }
}

/** Lists every column, so that a field added to an event by mistake does not reach the table. */
function eventRow(event: NewUsageEvent, own: { seq: number; id: string; created_at: number }): UsageEventRow {
  const known: Partial<Record<keyof UsageEventRow, unknown>> = {
    ...event,
    ...own,
    kind: kindOf[event.event_type],
  };
  const row: Record<string, unknown> = {};
  for (const column of usageEventColumns) row[column] = stored(known[column]);
  return row as unknown as UsageEventRow;
}

/** The stored form of a value: flags as 0 and 1, objects as JSON. */
function stored(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);
}
