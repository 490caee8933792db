import type { ClauseId } from "../../generated/clauses.ts";
import type { Account } from "../../conformance/server/account.ts";
import type { Located } from "../../conformance/judge/answer.ts";
import { wholeList } from "../../conformance/server/lists.ts";
import { added } from "../../conformance/books/listed.ts";
import { Unverifiable } from "../../conformance/judge/verdict.ts";
import type { Found } from "../judgement.ts";
import { sameCredits, sumOf } from "../../conformance/judge/credits.ts";
import { balanceOf, grantedBy } from "../../conformance/judge/rows.ts";
import { Pairs } from "../../conformance/books/pairs.ts";
import { amountOf, calls, rowOf, settledOf, sum, type Books } from "./rows.ts";
import { compareReads } from "./reads.ts";
import type { Reply } from "../recorder.ts";

/** Reads an account's balance, usage events and ledger. */
export async function booksOf(account: Account): Promise<Books> {
  return {
    events: await wholeList(account, "listUsage", { ...calls, include_details: true }),
    entries: await wholeList(account, "listLedger"),
    credits: await account.credits().catch((error: unknown) => {
      if (error instanceof Unverifiable) return null;
      throw error;
    }),
  };
}

/** The result of a storm on one account. */
export interface Reconciled {
  executed: number;
  /** Calls refused with 402. */
  lacking: number;
  /** Credits settled according to the usage audit. */
  settled: number;
  /** Whether the account shows its remaining credits, before and after. */
  isBalanceRead: boolean;
}

/** The books of an account after a storm. */
interface Left {
  /** The answered calls by execution id. */
  answered: ReadonlyMap<string, Reply>;
  events: readonly Located[];
  entries: readonly Located[];
  find(name: string, clause: ClauseId, title: string, expected: string, received: unknown, one?: Reply): void;
}

/**
 * Compares an account's answers with its reads afterwards. Every execution has exactly one usage event, every charge
 * exactly one ledger entry. The amounts agree, the balance fell by their sum and never below 0. Summaries and CSV show
 * the same rows.
 */
export async function reconcile(
  account: Account,
  replies: readonly Reply[],
  before: Books,
  find: (found: Found) => void,
): Promise<Reconciled> {
  const answered = new Map(replies.flatMap((one) => executionOf(one).map((id) => [id, one] as const)));
  const after = await booksOf(account);
  const left: Left = {
    answered,
    events: added(after.events, before.events),
    entries: added(after.entries, before.entries),
    find: (name, clause, title, expected, received, one) =>
      find({
        name,
        clauses: [clause],
        title,
        expected,
        received: String(received),
        exchanges: one ? [one.exchange] : [],
      }),
  };
  holdEvents(left);
  holdCharges(left);
  holdBalance(left, before.credits, after.credits, replies);
  await compareReads(account, before, (found) => find(found));
  return {
    executed: answered.size,
    lacking: replies.filter(({ exchange }) => exchange.response?.status === 402).length,
    settled: sum(left.events, settledOf),
    isBalanceRead: before.credits !== null && after.credits !== null,
  };
}

/** Every answered call has a usage event. */
function holdEvents({ answered, events, find }: Left): void {
  const known = new Set(events.map(executionIdOf));
  for (const [id, one] of answered) {
    if (known.has(id)) continue;
    const title = "a call that was answered has no usage event";
    find("call-without-event", "BILL-12", title, "one usage event", "none", one);
  }
}

/** Every charge has one ledger entry of its amount, and belongs to a call that was answered. */
function holdCharges({ answered, events, entries, find }: Left): void {
  const callOf = (id: unknown): Reply | undefined => (typeof id === "string" ? answered.get(id) : undefined);
  const pairs = new Pairs(({ name, clause, title, expected, received, event, entry }) => {
    find(name, clause, title, expected, received, callOf((event ?? entry)?.["execution_id"]));
  }, Date.now());
  pairs.take({ events: events.map(rowOf), entries: entries.map(rowOf) });
  pairs.missing(pairs.end());
  for (const event of events) {
    const settled = settledOf(event);
    if (settled <= 0 || callOf(executionIdOf(event)) !== undefined) continue;
    const title = "a charge belongs to no call that was answered";
    find("charge-without-call", "BILL-12", title, "a call for every charge", settled);
  }
}

/** The balance fell by the settled amount less what was granted meanwhile, and was never below zero. */
function holdBalance(
  { events, entries, find }: Left,
  before: number | null,
  after: number | null,
  replies: readonly Reply[],
): void {
  const due = sumOf([sum(events, settledOf), -grantedBy(entries)]);
  if (before !== null && after !== null && !sameCredits(before - after, due)) {
    find(
      "balance-does-not-add-up",
      "BILL-12",
      "the balance has not fallen by what the calls settled",
      `${due} credits less`,
      `${Math.round((before - after) * 1e6) / 1e6} less; the ledger moved ${sum(entries, amountOf)}`,
    );
  }
  const least = Math.min(
    after ?? 0,
    ...entries.map((entry) => balanceOf(entry, "after") ?? 0),
    ...replies.map(remainingOf),
  );
  if (least < 0) {
    find("negative-balance", "BILL-13", "a balance falls below zero", "at least 0 credits", least);
  }
}

const executionIdOf = (row: Located): unknown => row.at("execution_id").value;

function bodyOf({ exchange }: Reply): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(exchange.response?.body ?? "null");
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function executionOf(one: Reply): string[] {
  const { execution_id: id } = bodyOf(one);
  return one.exchange.response?.status === 200 && typeof id === "string" && id !== "" ? [id] : [];
}

const remainingOf = (one: Reply): number => {
  const { remaining_credits: remaining } = bodyOf(one);
  return typeof remaining === "number" ? remaining : 0;
};
