import type { ClauseId } from "../../generated/clauses.ts";
import { usable, type Account, type Query } from "../../conformance/server/account.ts";
import type { Located } from "../../conformance/judge/answer.ts";
import { csvRows, withoutTotals } from "../../conformance/server/csv.ts";
import { idOf, steadily, wholeList } from "../../conformance/server/lists.ts";
import type { Found } from "../judgement.ts";
import type { Books } from "./reconcile.ts";
import { sameCredits } from "../../conformance/judge/credits.ts";
import { amountOf, calls, settledOf, sum } from "./rows.ts";

const day = 86_400_000;

/** The amount column of an export whose columns have the names of the lists' fields. */
const amountColumns = ["amount_credits", "settled_amount_credits", "actual_amount_credits"];

/**
 * Compares an account's summaries and CSV exports with its lists.
 * @param before the account's books before the storm, where the comparison begins
 */
export async function compareReads(
  account: Account,
  before: Books,
  find: (found: Found) => void,
): Promise<void> {
  const newest = [before.events[0], before.entries[0]]
    .map((row) => Date.parse(String(row?.at("created_at").value)))
    .filter((at) => !Number.isNaN(at));
  // Both dates are given, since a summary without them has a default window.
  const since = {
    start_date: new Date(newest.length === 0 ? Date.now() - day : Math.max(...newest)).toISOString(),
    end_date: new Date(Date.now() + day).toISOString(),
  };
  const events = await wholeList(account, "listUsage", { ...calls, ...since });
  const entries = await wholeList(account, "listLedger", since);
  const usage = usable(await account.usage({ ...calls, ...since, summary: true })).at("data.summary");
  const ledger = usable(await account.ledger({ ...since, summary: true })).at("data.summary");
  const figures: readonly [
    list: "usage" | "ledger",
    ClauseId,
    what: string,
    listed: number,
    said: Located,
  ][] = [
    ["usage", "USUM-06", "counts other events", events.length, usage.at("total_count")],
    ["usage", "USUM-09", "settles other credits", sum(events, settledOf), usage.at("settled_credits")],
    ["ledger", "LSUM-03", "counts other entries", entries.length, ledger.at("total_entries")],
    ["ledger", "LSUM-07", "moves other credits", sum(entries, amountOf), ledger.at("net_amount_credits")],
  ];
  for (const [list, clause, what, listed, said] of figures) {
    if (typeof said.value !== "number" || sameCredits(said.value, listed)) continue;
    find({
      name: `${list}-summary-differs`,
      clauses: [clause],
      title: `the ${list} summary ${what} than the list`,
      expected: `${listed}, as the list says`,
      received: String(said.value),
      exchanges: [said.exchange],
    });
  }
  if (account.profile.features.exports === undefined) await compareExports(account, since, find);
}

/** Compares an account's CSV exports with its lists. */
async function compareExports(
  account: Account,
  since: { start_date: string; end_date: string },
  find: (found: Found) => void,
): Promise<void> {
  const compare = async (
    list: "usage" | "ledger",
    clause: ClauseId,
    operation: "exportUsage" | "exportLedger",
    rows: Query,
    listedAmount: (row: Located) => number,
  ): Promise<void> => {
    // The row of a read before may be late.
    const { all, taken } = await steadily(
      account,
      list === "usage" ? "listUsage" : "listLedger",
      async () => usable(await account.ask(operation, { query: since })),
      rows,
    );
    const { text, exchange } = taken;
    const difference = differenceOf(withoutTotals(csvRows(text)), all, listedAmount);
    if (difference === null) return;
    const [expected, received] = difference;
    const title = `the ${list} CSV has other rows than the list`;
    find({
      name: `${list}-csv-differs`,
      clauses: [clause],
      title,
      expected,
      received,
      exchanges: [exchange],
    });
  };
  await compare("usage", "UEXP-02", "exportUsage", since, settledOf);
  await compare("ledger", "LEXP-02", "exportLedger", { ...since, scope: "account_history" }, amountOf);
}

/**
 * The difference between an export and a list, as expected and received; null if none can be shown, since the contract
 * does not name the columns. If the export has ids, each row must appear in it once; if it has an amount, the amounts
 * must be equal.
 */
function differenceOf(
  csv: readonly (readonly string[])[],
  listed: readonly Located[],
  amountOf: (row: Located) => number,
): [expected: string, received: string] | null {
  // The first row may hold column names.
  if (csv.length !== listed.length && csv.length !== listed.length + 1) {
    return [`${listed.length} rows`, `${csv.length} rows, with a header where there is one`];
  }
  const ids = new Set(listed.map((row) => idOf(row)));
  const idsIn = (column: number): number => csv.filter((row) => ids.has(row[column]!)).length;
  const columns = [...(csv[0] ?? []).keys()];
  const idColumn = columns.toSorted((one, other) => idsIn(other) - idsIn(one))[0];
  if (idColumn === undefined || idsIn(idColumn) === 0) return null;
  const rows = Map.groupBy(csv, (row) => row[idColumn]!);
  const amountColumn = amountColumns.map((name) => csv[0]!.indexOf(name)).find((at) => at >= 0);
  for (const row of listed) {
    const id = idOf(row);
    const found = rows.get(id) ?? [];
    if (found.length !== 1)
      return [`${id} once`, found.length === 0 ? "no row of it" : `${found.length} rows`];
    const cell = amountColumn === undefined ? "" : found[0]![amountColumn]!;
    if (cell !== "" && !sameCredits(Number(cell), amountOf(row)))
      return [`${amountOf(row)} credits in ${id}`, cell];
  }
  return null;
}
