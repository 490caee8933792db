import { usable, type Account, type Query } from "../../conformance/server/account.ts";
import { steadily, wholeList } from "../../conformance/server/lists.ts";
import { auditExport } from "../../conformance/books/other-reads.ts";
import { ledgerSummary } from "../../conformance/books/ledger-summary.ts";
import { Totals } from "../../conformance/books/summary.ts";
import { usageSummary } from "../../conformance/books/usage-summary.ts";
import type { Found } from "../judgement.ts";
import { calls, rowOf, type Books } from "./rows.ts";

const day = 86_400_000;

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
  const lists = [
    ["usage", usageSummary, ["total_count", "settled_credits"], events, usage],
    ["ledger", ledgerSummary, ["total_entries", "net_amount_credits"], entries, ledger],
  ] as const;
  for (const [list, description, paths, rows, said] of lists) {
    const totals = new Totals(description);
    totals.take(rows.map(rowOf));
    for (const { figure, expected, received } of totals.wrongIn(said.value)) {
      if (!(paths as readonly string[]).includes(figure.path) || typeof received !== "number") continue;
      find({
        name: `${list}-summary-differs`,
        clauses: [figure.follows ?? figure.type],
        title: `the ${list} summary says another ${figure.path} than the list`,
        expected,
        received: String(received),
        exchanges: [said.exchange],
      });
    }
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
    list: "listUsage" | "listLedger",
    operation: "exportUsage" | "exportLedger",
    rows: Query,
  ): Promise<void> => {
    // The row of a read before may be late.
    const { all, taken } = await steadily(
      account,
      list,
      async () => usable(await account.ask(operation, { query: since })),
      rows,
    );
    auditExport(operation, taken.text, all.map(rowOf), ({ name, clause, title, expected, received }) =>
      find({ name, clauses: [clause], title, expected, received, exchanges: [taken.exchange] }),
    );
  };
  await compare("listUsage", "exportUsage", since);
  await compare("listLedger", "exportLedger", { ...since, scope: "account_history" });
}
