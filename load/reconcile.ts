import type { ClauseId } from "../generated/clauses.ts";
import { usable, type Account } from "../conformance/target/account.ts";
import type { Located } from "../conformance/target/answer.ts";
import { csvRows } from "../conformance/target/csv.ts";
import { idOf, sumOf, wholeList } from "../conformance/target/history.ts";
import { until } from "../conformance/target/session.ts";
import { amounts } from "../conformance/target/unnamed.ts";
import { Unverifiable } from "../conformance/verdict.ts";
import type { Found } from "./judgement.ts";
import type { Came } from "./came.ts";

/** What an account's reads say at one moment. */
export interface Books {
  /** Null where the server does not say. */
  credits: number | null;
  /** Usage events of calls, newest first. */
  events: Located[];
  /** All ledger entries, newest first. */
  entries: Located[];
}

const calls = { event_type: "tool_execute" };
const day = 86_400_000;
/** Sums of decimals may differ by this much. */
const tolerance = 1e-6;
const near = (one: number, other: number): boolean => Math.abs(one - other) <= tolerance;

const amountOf = (entry: Located): number => Number(entry.at("amount_credits").value);
const settledOf = (event: Located): number =>
  Number(event.at("settled_amount_credits").value ?? event.at("actual_amount_credits").value ?? 0);

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
    } else if (mine.length > 0 && !near(sumOf(mine, amountOf), -settled)) {
      fault(
        "amounts-differ",
        "BILL-05",
        "usage event and ledger entry name different amounts",
        `${-settled}`,
        sumOf(mine, amountOf),
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

  const settled = sumOf(events, settledOf);
  const net = sumOf(entries, amountOf);
  if (before.credits !== null && after.credits !== null && !near(before.credits - after.credits, settled)) {
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
  if (least < 0)
    fault("negative-balance", "BILL-13", "a balance falls below zero", "at least 0 credits", least);
  await compareReads(account, before, fault);
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

/** What happened since the storm began must look the same in lists, summaries and CSV. */
async function compareReads(
  account: Account,
  before: Books,
  fault: (name: string, clause: ClauseId, title: string, expected: string, received: unknown) => void,
): Promise<void> {
  const newest = [before.events[0], before.entries[0]]
    .map((row) => Date.parse(String(row?.at("created_at").value)))
    .filter((at) => !Number.isNaN(at));
  // Both dates, since without them a summary has a window of its own.
  const since = {
    start_date: new Date(newest.length === 0 ? Date.now() - day : Math.max(...newest)).toISOString(),
    end_date: new Date(Date.now() + day).toISOString(),
  };
  const events = await wholeList(account, "listUsage", { ...calls, ...since });
  const entries = await wholeList(account, "listLedger", since);
  const usage = usable(await account.usage({ ...calls, ...since, summary: true })).at("data.summary");
  const ledger = usable(await account.ledger({ ...since, summary: true })).at("data.summary");
  const same = (name: string, clause: ClauseId, title: string, listed: number, said: unknown): void => {
    if (typeof said === "number" && !near(said, listed)) fault(name, clause, title, String(listed), said);
  };
  same(
    "usage-summary-differs",
    "USUM-06",
    "the usage summary counts other events than the list",
    events.length,
    usage.at("total_count").value,
  );
  same(
    "usage-summary-differs",
    "USUM-09",
    "the usage summary settles other credits than the list",
    sumOf(events, settledOf),
    usage.at("settled_credits").value,
  );
  same(
    "ledger-summary-differs",
    "LSUM-03",
    "the ledger summary counts other entries than the list",
    entries.length,
    ledger.at("total_entries").value,
  );
  same(
    "ledger-summary-differs",
    "LSUM-07",
    "the ledger summary moves other credits than the list",
    sumOf(entries, amountOf),
    ledger.at("net_amount_credits").value,
  );
  if (account.profile.features.exports !== undefined) return;
  /** The rows of an export, which may begin with one of column names. */
  const exported = async (operation: "exportUsage" | "exportLedger", listed: number): Promise<number> => {
    const { length } = csvRows(usable(await account.ask(operation, { query: since })).text);
    return length === listed ? length : length - 1;
  };
  const total = async (answer: ReturnType<Account["usage"]>): Promise<number> =>
    usable(await answer).at("data.total").number;
  const inUsage = await total(account.usage({ ...since, page_size: 1 }));
  same(
    "usage-csv-differs",
    "UEXP-02",
    "the usage CSV has other rows than the list",
    inUsage,
    await exported("exportUsage", inUsage),
  );
  const inLedger = await total(account.ledger({ ...since, scope: "account_history", page_size: 1 }));
  same(
    "ledger-csv-differs",
    "LEXP-02",
    "the ledger CSV has other rows than the list",
    inLedger,
    await exported("exportLedger", inLedger),
  );
}
