import { auditExport, isOfHistory } from "../../conformance/books/other-reads.ts";
import type { Found } from "../judgement.ts";
import { plan, type Planned, type Sender } from "../planned.ts";
import type { Reply } from "../recorder.ts";
import type { Whole } from "./at-rest.ts";

/** Compares an account's CSV exports with its lists, at rest. */
export async function compareExports(
  sender: Sender,
  { events, entries }: Whole,
  send: (planned: Planned) => Promise<Reply>,
  find: (found: Found) => void,
): Promise<void> {
  const listed = { exportUsage: events, exportLedger: entries.filter(isOfHistory) } as const;
  for (const operation of ["exportUsage", "exportLedger"] as const) {
    const { exchange } = await send(plan(operation, sender));
    if (exchange.response?.status !== 200) continue;
    auditExport(operation, exchange.response.body, listed[operation], (anomaly) => {
      const { name, clause, title, expected, received } = anomaly;
      find({ name, clauses: [clause], title, expected, received, exchanges: [exchange] });
    });
  }
}
