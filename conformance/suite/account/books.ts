import type { Expect } from "../../judge/expect.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import { atMostCredits, sameCredits, sumOf } from "../../judge/credits.ts";
import { amountOf, costOf, type Row } from "../../judge/rows.ts";
import { isFields } from "../../judge/seen.ts";
import { Unmet, Unverifiable } from "../../judge/verdict.ts";
import { steadily } from "../../server/lists.ts";
import { added, daysOfAll, idOf, type List } from "../../books/listed.ts";
import { auditPairs, type Find } from "../../books/pairs.ts";
import { auditSums, type Sums } from "../../books/whole.ts";
import { executionOf, isOfCall } from "../../books/writes.ts";
import { requireNoPlanUsed } from "../balance.ts";
import { expectSame } from "../ledger/entries.ts";

/** Everything an account reports about its credits, read together. */
export interface Books extends Sums {
  credits: number;
  /** The credits of a day or a plan, by path. */
  plans: ReadonlyMap<string, number>;
  /** Both lists, newest first. */
  events: Located[];
  entries: Located[];
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
 * Expects a balance to have changed by what entries moved.
 * @param rewards what came meanwhile: a balance and the entries are read at different times
 * @throws Unverifiable where rewards may account for the difference
 */
export function expectChange(
  expect: Expect,
  change: number,
  moved: number,
  { name, rewards }: { name: string; rewards: number },
): void {
  if (!sameCredits(change, moved) && atMostCredits(Math.abs(change - moved), rewards))
    throw new Unverifiable("rewards came while the account was read: they may account for its balance");
  expect(change, `the change of the balance by ${name}`).toBeCredits(moved);
}

/**
 * Reads the books of an account; the summaries cover its whole history.
 * @param left what it has left: to read that leaves an event, which other reads would have to wait for
 */
export async function readBooks(account: Account, left: Pick<Books, "credits" | "plans">): Promise<Books> {
  const windowOf = (rows: readonly Located[]) => (rows.length === 0 ? {} : daysOfAll(rows));
  const summaryOf = async (list: List, rows: readonly Located[]): Promise<Located> => {
    const query = { ...windowOf(rows), summary: true, bucket: "week", page_size: 1 };
    return usable(await account.ask(list, { query })).at("data.summary");
  };
  const usage = await steadily(account, "listUsage", async (events) => ({
    usageSummary: await summaryOf("listUsage", events),
    spent: usable(await account.ask("getCreditsSpent", { query: windowOf(events) })).at("data"),
  }));
  const ledger = await steadily(account, "listLedger", async (entries) => ({
    ledgerSummary: await summaryOf("listLedger", entries),
  }));
  return { ...left, events: usage.all, entries: ledger.all, ...usage.taken, ...ledger.taken };
}

/** Whether a figure of a summary is of what a walk moves: its amounts, and how many events there are. */
const isMoved = (path: string): boolean => path === "total_count" || path.endsWith("_credits");

/** The rows of a list, oldest first. */
const rowsOf = (list: readonly Located[]): Row[] =>
  list.toReversed().flatMap(({ value }) => (isFields(value) ? [value] : []));

const isUse = ({ entry_type: type }: Row): boolean => /^consume_(tool|model)_/.test(String(type));
const moved = (entries: readonly Row[]): number => sumOf(entries.map((entry) => amountOf(entry) ?? 0));

/**
 * Expects the books to agree, and to equal the previous ones plus exactly the action in between.
 * @param rewards that came since the first balance was read
 */
export function expectBooks(
  expect: Expect,
  before: Books,
  done: Done,
  now: Books,
  rewards: (entries: readonly Located[]) => number,
): void {
  const gone = added(before.entries, now.entries).map(idOf);
  expect(gone, "the ledger entries of before that are no longer listed").toBe([]);
  const again = new Map(now.entries.map((entry) => [idOf(entry), entry]));
  for (const entry of before.entries) expectSame(expect, entry, again.get(idOf(entry))!);

  const since = { events: added(now.events, before.events), entries: added(now.entries, before.entries) };
  const entries = rowsOf(since.entries);
  const change = now.credits - before.credits;
  if (!done.free) requireNoPlanUsed(moved(entries) - change, before.plans, now.plans);
  expectChange(expect, change, moved(entries), { name: done.name, rewards: rewards(now.entries) });
  const settled = sumOf(now.events.map(costOf)) - sumOf(before.events.map(costOf));
  const used = -moved(entries.filter(isUse));
  expect(settled, `the credits that events settle since ${done.name}`).toBeCredits(used);
  if (done.free) expect(settled, `the credits that ${done.name} consumes`).toBeCredits(0);
  const strays = rowsOf(since.events).filter(
    (event) => isOfCall(event) && costOf(event) > 0 && executionOf(event) !== done.executionId,
  );
  const ids = strays.map(({ id }) => id);
  expect(ids, `settled events that ${done.name} did not cause`).toBe([]);

  const find: Find = ({ fact, title, exchange, event, entry }) => {
    const row = event ?? entry;
    const shown = [...since.events, ...since.entries].find(({ value }) => value === row);
    // A row of before was audited then, or is older than the walk.
    if (row !== undefined && shown === undefined) return;
    throw new Unmet({ ...fact, note: title }, exchange ?? shown?.exchange);
  };
  const books = { events: rowsOf(now.events), entries: rowsOf(now.entries) };
  auditPairs(books, find, Date.now());
  auditSums(books, now, find, isMoved);
}
