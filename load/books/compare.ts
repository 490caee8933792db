import { auditExport, isOfHistory } from "../../conformance/books/other-reads.ts";
import type { Find } from "../../conformance/books/pairs.ts";
import { auditSums } from "../../conformance/books/whole.ts";
import { Located } from "../../conformance/judge/answer.ts";
import { jsonOf } from "../../conformance/judge/exchange.ts";
import { memberOf } from "../../conformance/judge/seen.ts";
import { plan, type Planned, type Sender } from "../planned.ts";
import type { Reply } from "../recorder.ts";
import { everything, type Whole } from "./at-rest.ts";

/** The figures that the history of the same reads judges. */
const judgedByHistory = ["total_count", "settled_credits", "total_entries", "net_amount_credits"];

interface Comparing {
  send: (planned: Planned) => Promise<Reply>;
  find: Find;
  /** Whether the server has CSV exports. */
  hasExports: boolean;
}

/** Compares an account's summaries, credits spent and CSV exports with its lists, at rest. */
export async function compareReads(
  sender: Sender,
  whole: Whole,
  { send, find, hasExports }: Comparing,
): Promise<void> {
  if (!whole.isComplete) return;
  const { exchange } = await send(plan("getCreditsSpent", sender, { query: `?${everything}` }));
  const data = exchange.response?.status === 200 ? memberOf(jsonOf(exchange), "data") : undefined;
  const sums = { ...whole, spent: new Located(data, "data", exchange) };
  auditSums(whole, sums, find, (path) => !judgedByHistory.includes(path));
  if (!hasExports) return;
  const listed = { exportUsage: whole.events, exportLedger: whole.entries.filter(isOfHistory) } as const;
  for (const operation of ["exportUsage", "exportLedger"] as const) {
    const { exchange } = await send(plan(operation, sender));
    if (exchange.response?.status === 200)
      auditExport(operation, exchange.response.body, listed[operation], (anomaly) =>
        find({ ...anomaly, exchange }),
      );
  }
}
