import { ledgerSummary } from "../../conformance/books/ledger-summary.ts";
import { auditExport, auditSpent, isOfHistory } from "../../conformance/books/other-reads.ts";
import type { Anomaly } from "../../conformance/books/pairs.ts";
import { auditSummary, Totals } from "../../conformance/books/summary.ts";
import { usageSummary } from "../../conformance/books/usage-summary.ts";
import { Located } from "../../conformance/judge/answer.ts";
import { jsonOf, type Exchange } from "../../conformance/judge/exchange.ts";
import { isFields, memberOf } from "../../conformance/judge/seen.ts";
import { plan, type Planned, type Sender } from "../planned.ts";
import type { Reply } from "../recorder.ts";
import { everything, type Whole } from "./at-rest.ts";

/** The figures that the history of the same reads judges. */
const judgedByHistory = ["total_count", "settled_credits", "total_entries", "net_amount_credits"];

interface Comparing {
  send: (planned: Planned) => Promise<Reply>;
  /** Is given the exchange that shows it, where it is one. */
  find: (anomaly: Anomaly, exchange?: Exchange) => void;
  /** Whether the server has CSV exports. */
  hasExports: boolean;
}

/** Compares an account's summaries, credits spent and CSV exports with its lists, at rest. */
export async function compareReads(
  sender: Sender,
  { events, entries, isComplete, ...summaries }: Whole,
  { send, find, hasExports }: Comparing,
): Promise<void> {
  if (!isComplete) return;
  const totals = { usage: new Totals(usageSummary), ledger: new Totals(ledgerSummary) };
  totals.usage.take(events);
  totals.ledger.take(entries);
  for (const [description, sums, summary] of [
    [usageSummary, totals.usage, summaries.usageSummary],
    [ledgerSummary, totals.ledger, summaries.ledgerSummary],
  ] as const)
    if (isFields(summary)) auditSummary(description, sums, summary, find, judgedByHistory);
  const { exchange: spent } = await send(plan("getCreditsSpent", sender, { query: `?${everything}` }));
  if (spent.response?.status === 200) {
    const data = new Located(memberOf(jsonOf(spent), "data"), "data", spent);
    auditSpent(data, totals.usage.of("settled_credits")[0] ?? 0, (anomaly) => find(anomaly, spent));
  }
  if (!hasExports) return;
  const listed = { exportUsage: events, exportLedger: entries.filter(isOfHistory) } as const;
  for (const operation of ["exportUsage", "exportLedger"] as const) {
    const { exchange } = await send(plan(operation, sender));
    if (exchange.response?.status === 200)
      auditExport(operation, exchange.response.body, listed[operation], (anomaly) => find(anomaly, exchange));
  }
}
