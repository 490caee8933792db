import { canonical } from "../../base/data.ts";
import type { Located } from "../judge/answer.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { csvRows, withoutTotals } from "../books/csv.ts";
import { pagesOf } from "./cursor.ts";
import { wholeList } from "./lists.ts";
import { idOf, idsIn } from "../books/listed.ts";
import { texts } from "../books/unnamed.ts";
import type { Asking, Reader, Reading } from "./selection.ts";

/*
 * Reads events and entries where the contract shows no fields: in the feeds and in the columns of the exports.
 */

/** The rows, such as another account's, that other rows mention. */
export function rowsNamed(rows: readonly unknown[], some: readonly Located[]): string[] {
  const ids = some.map(idOf);
  return idsIn(rows, some).filter((id) => ids.includes(id));
}

/** The usage feed, read to its end, or to a number of pages. */
export const byFeed =
  (size = 500, max = Infinity): Reader =>
  async ({ account }, query, known) => {
    const pages = await pagesOf(account, "listUsageFeed", { page_size: size, ...query }, undefined, max);
    return idsIn(
      pages.flatMap(({ items }) => items),
      known,
    );
  };

/** A CSV export. Its first row is dropped if it matches no known row and is therefore the header. */
export const byExport =
  (operation: "exportUsage" | "exportLedger"): Reader =>
  async ({ account, expect }, query, known) => {
    const answer = await account.ask(operation, { query });
    expect(answer).toHaveStatus(200);
    const rows = withoutTotals(csvRows(answer.text));
    const isRow = rowsNamed(rows.slice(0, 1), known).length > 0;
    return idsIn(isRow ? rows : rows.slice(1), known);
  };

/**
 * Expects rows whose fields the contract does not show to show something of what they are rows of: to differ, or, since
 * a row may show its type or its day alone, to hold a value of these.
 * @param known what they are rows of
 * @throws Unverifiable when the amounts of all these are equal: then an amount may be all that each row shows
 */
export function expectTelling(
  expect: Asking["expect"],
  what: string,
  rows: readonly unknown[],
  known: readonly Located[],
  amount: (row: Located) => number | undefined,
): void {
  if (rows.length < 2) throw new Unverifiable(`${what} are fewer than two`);
  if (new Set(known.map(amount)).size < 2) throw new Unverifiable(`${what} are of one amount`);
  const shown = new Set(rows.map((row) => canonical(row)));
  const values = new Set(
    known.flatMap(({ value }) => texts(value)).flatMap((text) => [text, text.slice(0, 10)]),
  );
  const areTelling = shown.size > 1 || texts(rows[0]).some((text) => values.has(text));
  expect([...shown], `${what}, each once`).toSatisfy(
    "to differ, or to show a value of theirs",
    () => areTelling,
  );
}

/**
 * Reads everything, to see whether the rows can be identified.
 * @throws Unverifiable when a row cannot be matched to a row of the account
 */
export async function tellsRows(asking: Asking, { list, read, within }: Required<Reading>): Promise<void> {
  const known = await wholeList(asking.account, list, within);
  if (areKnown(await read(asking, within, known), known)) return;
  const all = await wholeList(asking.account, list);
  if (areKnown(await read(asking, within, all), all)) return;
  // "Its field list is not shown", "Columns of the CSV exports: not shown": rows need not name what they are of.
  throw new Unverifiable("not every row shows the id or the execution_id of a row of the account");
}

function areKnown(ids: readonly string[], known: readonly Located[]): boolean {
  const all = new Set(known.map(idOf));
  return ids.every((id) => all.has(id));
}
