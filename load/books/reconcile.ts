import type { ClauseId } from "../../generated/clauses.ts";
import type { Account } from "../../conformance/subject/account.ts";
import type { Located } from "../../conformance/judge/answer.ts";
import { idOf, wholeList } from "../../conformance/subject/lists.ts";
import { until } from "../../conformance/subject/session.ts";
import { amounts } from "../../conformance/subject/unnamed.ts";
import { Unverifiable } from "../../conformance/judge/verdict.ts";
import type { Found } from "../judgement.ts";
import { sameCredits } from "../../conformance/judge/credits.ts";
import { amountOf, calls, settledOf, sum } from "./rows.ts";
import { compareReads } from "./reads.ts";
import type { Came } from "../came.ts";

/** What an account's reads say at one moment. */
export interface Books {
  /** Null where the server does not say. */
  credits: number | null;
  /** Usage events of calls, newest first. */
  events: Located[];
  /** All ledger entries, newest first. */
  entries: Located[];
}

/** Reads an account's balance, usage events and ledger. */
export async function booksOf(account: Account): Promise<Books> {
  return {
    credits: await account.credits().catch((error: unknown) => {
      if (error instanceof Unverifiable) return null;
      throw error;
    }),
    events: await wholeList(account, "listUsage", { ...calls, include_details: true }),
    entries: await wholeList(account, "listLedger"),
  };
}

/** What a storm came to on one account. */
export interface Reconciled {
  executed: number;
  /** Calls that were refused with 402. */
  lacking: number;
  /** Credits settled, by the usage audit. */
  settled: number;
}

/**
 * Holds what an account was answered against everything that its reads say afterwards: every execution has its one
 * usage event, every charge its one ledger entry, the amounts agree, the balance fell by their sum and never below 0,
 * and summaries and CSV show the same rows.
 */
export async function reconcile(
  account: Account,
  came: readonly Came[],
  before: Books,
  find: (found: Found) => void,
): Promise<Reconciled> {
  const answered = new Map(came.flatMap((one) => executionOf(one).map((id) => [id, one] as const)));
  await until(
    1000 * account.profile.audit_lag,
    () => wholeList(account, "listUsage", calls),
    ({ length }) => length >= before.events.length + answered.size,
  );
  await account.settled();
  const after = await booksOf(account);
  const events = added(after.events, before.events);
  const entries = added(after.entries, before.entries);
  const fault = (
    name: string,
    clause: ClauseId,
    title: string,
    expected: string,
    received: unknown,
    one?: Came,
  ) =>
    find({
      name,
      clauses: [clause],
      title,
      expected,
      received: String(received),
      exchanges: one ? [one.exchange] : [],
    });

  const eventsOf = Map.groupBy(events, (event) => event.at("execution_id").value);
  for (const [id, one] of answered) {
    const count = eventsOf.get(id)?.length ?? 0;
    if (count === 0) {
      fault(
        "call-without-event",
        "BILL-12",
        "a call that was answered has no usage event",
        "one usage event",
        "none",
        one,
      );
    } else if (count > 1) {
      fault(
        "call-with-two-events",
        "BILL-11",
        "a call has several usage events",
        "one usage event",
        count,
        one,
      );
    }
  }
  const entriesOf = Map.groupBy(entries, (entry) => entry.at("execution_id").value);
  const linked = new Set<unknown>();
  for (const event of events) {
    const id = event.at("execution_id").value;
    const link = event.at("credits_ledger_entry_id").value;
    const settled = settledOf(event);
    const mine = entries.filter(
      (entry) => idOf(entry) === link || (id != null && entry.at("execution_id").value === id),
    );
    for (const entry of mine) linked.add(idOf(entry));
    const one = typeof id === "string" ? answered.get(id) : undefined;
    if (settled > 0 && mine.length === 0) {
      fault(
        "charge-without-entry",
        "BILL-11",
        "a charge has no ledger entry",
        `an entry of ${-settled}`,
        "none",
        one,
      );
    } else if (settled > 0 && mine.length > 1) {
      fault(
        "charged-twice",
        "BILL-12",
        "a call has several ledger entries",
        "one ledger entry",
        mine.length,
        one,
      );
    } else if (mine.length > 0 && !sameCredits(sum(mine, amountOf), -settled)) {
      fault(
        "amounts-differ",
        "BILL-05",
        "usage event and ledger entry name different amounts",
        `${-settled}`,
        sum(mine, amountOf),
        one,
      );
    }
    if (settled > 0 && one === undefined) {
      fault(
        "charge-without-call",
        "BILL-12",
        "a charge belongs to no call that was answered",
        "a call for every charge",
        settled,
      );
    }
  }
  const unlinked = entries.filter((entry) => amountOf(entry) < 0 && !linked.has(idOf(entry)));
  if (unlinked.length > 0) {
    fault(
      "entry-without-event",
      "BILL-12",
      "a consuming ledger entry belongs to no usage event",
      "an event for every charge",
      `${unlinked.length} entries: ${JSON.stringify(unlinked[0]!.value).slice(0, 300)}`,
    );
  }
  for (const [id, some] of entriesOf) {
    if (id == null || some.length < 2 || eventsOf.has(id)) continue;
    fault("charged-twice", "BILL-12", "a call has several ledger entries", "one ledger entry", some.length);
  }

  const settled = sum(events, settledOf);
  const net = sum(entries, amountOf);
  if (
    before.credits !== null &&
    after.credits !== null &&
    !sameCredits(before.credits - after.credits, settled)
  ) {
    fault(
      "balance-does-not-add-up",
      "BILL-12",
      "the balance has not fallen by what the calls settled",
      `${settled} credits less`,
      `${Math.round((before.credits - after.credits) * 1e6) / 1e6} less; the ledger moved ${net}`,
    );
  }
  const least = Math.min(
    after.credits ?? 0,
    ...entries.flatMap((entry) => [...amounts(entry.at("balance_after")).values()]),
    ...came.map(remainingOf),
  );
  if (least < 0) {
    fault("negative-balance", "BILL-13", "a balance falls below zero", "at least 0 credits", least);
  }
  await compareReads(account, before, (found) => find(found));
  return {
    executed: answered.size,
    lacking: came.filter(({ exchange }) => exchange.response?.status === 402).length,
    settled,
  };
}

function added(after: readonly Located[], before: readonly Located[]): Located[] {
  const known = new Set(before.map(idOf));
  return after.filter((row) => !known.has(idOf(row)));
}

function bodyOf({ exchange }: Came): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(exchange.response?.body ?? "null");
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function executionOf(one: Came): string[] {
  const { execution_id: id } = bodyOf(one);
  return one.exchange.response?.status === 200 && typeof id === "string" && id !== "" ? [id] : [];
}

const remainingOf = (one: Came): number => {
  const { remaining_credits: remaining } = bodyOf(one);
  return typeof remaining === "number" ? remaining : 0;
};
