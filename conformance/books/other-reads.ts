import { canonical } from "../../base/data.ts";
import { ledgerScopeEntryTypes } from "../../generated/contract.ts";
import type { ClauseId } from "../../generated/clauses.ts";
import type { Located } from "../judge/answer.ts";
import { creditsOf, sameCredits } from "../judge/credits.ts";
import { condition } from "../judge/fact.ts";
import { amountOf, costOf, type Row } from "../judge/rows.ts";
import { csvRows, withoutTotals } from "./csv.ts";
import { comparable, idsIn, isPlainNumber } from "./listed.ts";
import { amounts, texts } from "./unnamed.ts";
import type { Find } from "./pairs.ts";
import type { Totals } from "./summary.ts";
import { isEntryOfCall } from "./writes.ts";

/*
 * The audit of an account's other reads: what exports, feed and settlement history show of the listed rows. The
 * contract names no fields of these, so each function returns whether the rows could be distinguished.
 */

const idOf = (row: Row): string => String(row["id"]);

interface Exported {
  clause: ClauseId;
  /** The name of the rows. */
  what: string;
  amount: (row: Row) => number;
  /** The amount columns of an export whose columns have the names of the list's fields. */
  columns: readonly string[];
}

const exported = {
  exportUsage: {
    clause: "UEXP-02",
    what: "usage",
    amount: costOf,
    columns: ["settled_amount_credits", "actual_amount_credits"],
  },
  exportLedger: {
    clause: "LEXP-02",
    what: "ledger",
    amount: (entry) => amountOf(entry) ?? NaN,
    columns: ["amount_credits"],
  },
} as const satisfies Record<string, Exported>;

/** A cell without the guard that keeps a spreadsheet from taking it for a formula. */
const unguarded = (cell: string): string => cell.replace(/^'(?=[=+\-@])/, "");

/** Number of rows of an export that show which of its columns is the id. */
const rowsForId = 100;

/** Whether an entry is of the preset group that exports and settlements show. */
export const isOfHistory = ({ entry_type: type }: Row): boolean =>
  (ledgerScopeEntryTypes.account_history as readonly unknown[]).includes(type);

/**
 * Audits a CSV export: one row for each listed row, and its amount. Without ids only the rows are counted.
 * @param listed the rows that the export must hold
 */
export function auditExport(
  operation: keyof typeof exported,
  text: string,
  listed: readonly Row[],
  find: Find,
): boolean {
  const { clause, what, amount, columns: amountColumns } = exported[operation];
  const title = `the ${what} CSV has other rows than the list`;
  const differs = (expected: string, received: string, row?: Row): void =>
    find({
      name: `${what}-csv-differs`,
      clauses: [clause],
      title,
      fact: condition(expected, received, { kind: "row" }),
      [operation === "exportUsage" ? "event" : "entry"]: row,
    });
  const csv = withoutTotals(csvRows(text)).map((row) => row.map(unguarded));
  // The first row may hold column names.
  const isCounted = csv.length === listed.length || csv.length === listed.length + 1;
  if (!isCounted) differs(`${listed.length} rows`, `${csv.length} rows, with a header where there is one`);
  const idColumn = idColumnOf(csv, listed.map(idOf));
  if (idColumn === undefined) return listed.length === 0;
  const rows = Map.groupBy(csv, (row) => comparable(row[idColumn]!));
  const amountColumn = amountColumns.map((name) => csv[0]!.indexOf(name)).find((at) => at >= 0);
  for (const row of listed) {
    const id = idOf(row);
    const own = rows.get(comparable(id)) ?? [];
    const cell = amountColumn === undefined ? "" : (own[0]?.[amountColumn] ?? "");
    const shown = creditsOf(cell.replace(/ credits?$/i, ""));
    if (own.length !== 1)
      differs(`${id} once`, own.length === 0 ? "no row of it" : `${own.length} rows`, row);
    else if (shown !== undefined && !sameCredits(shown, amount(row)))
      differs(`${amount(row)} credits in ${id}`, cell, row);
  }
  return true;
}

/** Names of columns of a row's own id. */
const nameOfId = /^((credits_)?(ledger|entry|ledger_entry|usage|event|usage_event)[_ ])?id$/i;

/**
 * The column of an export that shows the ids of its rows, by the first of these. "Columns of the CSV exports: not shown": a
 * plain number may also be a balance or the number of a line, and is an id only where its column is named so.
 */
function idColumnOf(csv: readonly string[][], ids: readonly string[]): number | undefined {
  const known = new Set(ids.map(comparable));
  const some = csv.slice(0, rowsForId);
  const columns = (csv[0] ?? []).map((name, column) => {
    const isNamed = nameOfId.test(name.trim());
    const isId = (cell = ""): boolean => known.has(comparable(cell)) && (isNamed || !isPlainNumber(cell));
    return { column, found: some.filter((row) => isId(row[column])).length };
  });
  const [first] = columns.filter(({ found }) => found > 0).toSorted((one, other) => other.found - one.found);
  return first?.column;
}

/** Audits the usage feed: every event of the list exactly once (UFED-02). */
export function auditFeed(items: readonly unknown[], events: readonly Row[], find: Find): boolean {
  const ids = idsIn(items, events);
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  const known = new Set(events.map(idOf));
  // A feed may write the ids of some events in another way.
  if (!ids.every((id) => known.has(id))) return false;
  for (const event of events) {
    const count = counts.get(idOf(event)) ?? 0;
    if (count === 1) continue;
    find({
      name: "usage-feed-differs",
      clauses: ["UFED-02"],
      title: "the usage feed does not hold every event of the list once",
      fact: condition(`${idOf(event)} once`, count === 0 ? "no item of it" : `${count} items`, {
        kind: "row",
      }),
      event,
    });
  }
  return true;
}

/** The ids that name rows wherever they occur: a short number may be an amount or a count. */
export const namesOf = (rows: readonly Row[]): string[] =>
  rows
    .flatMap(({ id, execution_id: execution }) => [id, execution])
    .filter((name) => name !== undefined && name !== null)
    .map(String)
    .filter((name) => !isPlainNumber(name));

/** Whether some items, whose fields the contract does not show, hold one of these ids. */
export function areNamed(items: readonly unknown[], names: readonly string[]): boolean {
  const known = new Set(names);
  return items.some((item) => texts(item).some((text) => known.has(text)));
}

/**
 * Audits the settlement history: every charged Call is in it, no settlement twice, and no entry of another group (ACCT-13,
 * ACCT-18, ACCT-20).
 */
export function auditSettlements(
  items: readonly unknown[],
  { events, entries }: { events: readonly Row[]; entries: readonly Row[] },
  find: Find,
): boolean {
  const held = new Set(items.flatMap((item) => texts(item)));
  const links = new Map(events.map((event) => [String(event["credits_ledger_entry_id"]), event]));
  const namesOfCall = (entry: Row): string[] => namesOf([entry, links.get(idOf(entry)) ?? {}]);
  const isHeld = (entry: Row): boolean => namesOfCall(entry).some((name) => held.has(name));
  const calls = entries.filter((entry) => isEntryOfCall(entry) && namesOfCall(entry).length > 0);
  if (calls.length > 0 && !calls.some(isHeld) && items.length > 0) return false;
  for (const entry of calls) {
    if (isHeld(entry)) continue;
    find({
      name: "charge-without-settlement",
      clauses: ["ACCT-13"],
      title: "a charged Call is not in the settlement history",
      fact: condition(`a settlement of entry ${idOf(entry)}`, "none", { kind: "row" }),
      entry,
    });
  }
  const names = new Set(namesOf([...entries, ...events]));
  const named = items.filter((item) => texts(item).some((text) => names.has(text)));
  for (const [row, again] of Map.groupBy(named, (item) => canonical(item))) {
    if (again.length === 1) continue;
    find({
      name: "settlement-shown-twice",
      clauses: ["ACCT-18"],
      title: "the settlement history shows a settlement twice",
      fact: condition("each settlement once", `${again.length} times ${row}`, { kind: "row" }),
    });
  }
  for (const entry of entries) {
    if (isOfHistory(entry) || !held.has(idOf(entry)) || isPlainNumber(idOf(entry))) continue;
    find({
      name: "settlement-out-of-scope",
      clauses: ["ACCT-20"],
      title: "the settlement history shows an entry that account_history leaves out",
      fact: condition("only entries of account_history", `an entry of type ${String(entry["entry_type"])}`, {
        kind: "row",
      }),
      entry,
    });
  }
  return true;
}

/**
 * Audits the credits spent: some amount of it is what the events settled (ACCT-06).
 * @param data of the answer
 * @param usage the totals of the events in its window
 */
export function auditSpent(data: Located, usage: Totals, find: Find): boolean {
  const settled = usage.of("settled_credits");
  const shown = [...amounts(data).values()];
  if (shown.length > 0 && !shown.some((amount) => sameCredits(amount, settled)))
    find({
      name: "credits-spent-differ",
      clauses: ["ACCT-06"],
      title: "the credits spent are not what the events settled",
      fact: condition(`${settled}, which the events of the window add up to`, shown.join(", "), {
        kind: "amount",
      }),
      exchange: data.exchange,
    });
  return shown.length > 0;
}
