import type { Expect } from "../../judge/expect.ts";
import { isOfCall, usable, type Account, type Query } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { sameCredits, sumOf } from "../../judge/credits.ts";
import { microsIn } from "../../judge/instant.ts";
import { amountOf, costOf } from "../../judge/rows.ts";
import { steadily } from "../../server/lists.ts";
import { dayOf, dayText, idOf, type List } from "../../books/listed.ts";
import { amounts } from "../../books/unnamed.ts";
import { expectAgreement, linkOf } from "../billing/traces.ts";
import { expectSame } from "../ledger/entries.ts";

/** Everything an account reports about its credits, read together. */
export interface Books {
  credits: number;
  /** Newest first. */
  events: Located[];
  /** Newest first. */
  entries: Located[];
  usageSummary: Located;
  ledgerSummary: Located;
  /** The amounts in the credits spent, by path, since the contract does not name the field. */
  spent: ReadonlyMap<string, number>;
}

/** An action between two readings of the books. */
export interface Done {
  /** Completes "the change of the balance by …". */
  name: string;
  /** The execution in the answer to a Call; null when nothing was executed. */
  executionId: string | null;
  /** Whether it must cost nothing. */
  free: boolean;
}

/**
 * Reads the books of an account; the summaries cover its whole history.
 * @param credits what it has left: to read that leaves an event, which other reads would have to wait for
 */
export async function readBooks(account: Account, credits: number): Promise<Books> {
  const usage = await steadily(account, "listUsage", async () => {
    const window = await wholeWindow(account, "listUsage");
    const spent = usable(await account.ask("getCreditsSpent", { query: window })).at("data");
    return { summary: await summaryOf(account, "listUsage", window), spent: amounts(spent) };
  });
  const ledger = await steadily(account, "listLedger", async () =>
    summaryOf(account, "listLedger", await wholeWindow(account, "listLedger")),
  );
  return {
    credits,
    events: usage.all,
    entries: ledger.all,
    usageSummary: usage.taken.summary,
    ledgerSummary: ledger.taken,
    spent: usage.taken.spent,
  };
}

async function summaryOf(account: Account, list: List, window: Query): Promise<Located> {
  const query = { ...window, summary: true, bucket: "week", page_size: 1 };
  return usable(await account.ask(list, { query })).at("data.summary");
}

/** Days that cover every row of a list, in any time zone. */
async function wholeWindow(account: Account, list: List): Promise<Query> {
  const newest = usable(await account.ask(list, { query: { page_size: 1 } })).at("data");
  const total = newest.at("total").number;
  const oldest = usable(await account.ask(list, { query: { page_size: 1, page: Math.max(1, total) } }))
    .at("data.items")
    .items.at(0);
  const now = account.session.now() * 1000;
  return {
    start_date: oldest === undefined ? dayText(now - microsIn.day) : dayOf(oldest, -1),
    end_date: dayText(now + 2 * microsIn.day),
  };
}

const amount = (entry: Located): number => amountOf(entry) ?? 0;
const sum = (rows: readonly Located[], of: (row: Located) => number): number => sumOf(rows.map(of));
const isUse = (entry: Located): boolean =>
  /^consume_(tool|model)_/.test(String(entry.at("entry_type").value));

const byId = (one: Located, other: Located): number => idOf(one).localeCompare(idOf(other));

/** Expects the books to equal the previous ones plus exactly the actions in between. */
export function expectBooks(expect: Expect, before: Books, done: Done, now: Books): void {
  const known = new Set(before.entries.map(idOf));
  const first = before.entries.toSorted(byId);
  const again = now.entries.filter((entry) => known.has(idOf(entry))).sort(byId);
  const added = now.entries.filter((entry) => !known.has(idOf(entry)));
  expect(again.map(idOf), "the ledger entries of before, read again").toBe(first.map(idOf));
  for (const [index, entry] of first.entries()) expectSame(expect, entry, again[index]!);

  const moved = sum(added, amount);
  expect(now.credits - before.credits, `the change of the balance by ${done.name}`).toBeCredits(moved);
  const used = added.filter(isUse);
  const total = sum(now.events, costOf);
  const settledSince = total - sum(before.events, costOf);
  expect(settledSince, `the credits that events settle since ${done.name}`).toBeCredits(-sum(used, amount));
  if (done.free) expect(settledSince, `the credits that ${done.name} consumes`).toBeCredits(0);
  const old = new Set(before.events.map(idOf));
  const strays = now.events.filter(
    (event) =>
      !old.has(idOf(event)) &&
      /^(tool_execute|capabilities_query|model_call)$/.test(String(event.at("event_type").value)) &&
      costOf(event) > 0 &&
      event.at("execution_id").value !== done.executionId,
  );
  expect(strays.map(idOf), `settled events that ${done.name} did not cause`).toBe([]);
  if (done.executionId !== null) expectSettledOnce(expect, done.executionId, now.events, used);

  expect(now.usageSummary.at("total_count")).toBe(now.events.length);
  expect(now.usageSummary.at("settled_credits")).toBeCredits(total);
  const consumed = sum(now.entries, (entry) => Math.min(0, amount(entry)));
  const granted = sum(now.entries, (entry) => Math.max(0, amount(entry)));
  expect(now.ledgerSummary.at("consumed_credits")).toBeCredits(-consumed);
  expect(now.ledgerSummary.at("granted_credits")).toBeCredits(granted);
  expect(now.ledgerSummary.at("net_amount_credits")).toBeCredits(granted + consumed);
  expect([...now.spent.values()], "the amounts of the credits spent").toSatisfy(
    `to hold the ${total} credits that all events settle`,
    (values) => (values as number[]).some((value) => sameCredits(value, total)),
  );
}

/** Expects one event and one entry with its settled amount; without a charge, at most one event and no entry. */
function expectSettledOnce(
  expect: Expect,
  executionId: string,
  events: readonly Located[],
  used: readonly Located[],
): void {
  const ofCall = events.filter((event) => event.at("execution_id").value === executionId && isOfCall(event));
  const isNamed = (entry: Located): boolean => entry.at("execution_id").value === executionId;
  if (ofCall.length === 0 && !used.some(isNamed)) return;
  expect(ofCall.length, `the number of usage events of ${executionId}`).toBe(1);
  const event = ofCall[0]!;
  expectAgreement(
    event,
    used.filter((entry) => isNamed(entry) || idOf(entry) === linkOf(event).value),
  );
}
