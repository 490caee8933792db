import type { Knex } from "knex";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import type { EntryType, EventKind } from "../storage/rows.ts";
import { ledgerSelection, summarizedEntries } from "./ledger-reads.ts";
import { sum, tallyWhole } from "./tally.ts";
import { readUsageFilter } from "./usage-filter.ts";
import { usageSelection } from "./usage-reads.ts";
import { summarizedEvents } from "./usage-summary.ts";
import { boundText, timestamp, type Window } from "./window.ts";

/** Which entries settle which events. Grants have no record but the ledger's, so there is nothing to compare. */
const entities: readonly { entryType: EntryType; kind: EventKind }[] = [
  { entryType: "consume_tool_search", kind: "discover" },
  { entryType: "consume_tool_execute", kind: "call" },
  { entryType: "consume_model_call", kind: "model" },
];

type Figure =
  "legacy_count" | "legacy_amount" | "ledger_count" | "ledger_amount" | "missing_count" | "extra_count";

/**
 * Compares what the usage events settled (the legacy records) with the ledger's entries in a window, for each type of
 * consumption. The ledger is ready when every settled event has its entry, no entry is without an event, and the sums
 * are equal. Amounts are signed, as in the ledger.
 */
export async function ledgerReadiness(
  database: Knex,
  accountId: string,
  window: Window,
  now: number,
): Promise<components["schemas"]["LedgerReadiness"]> {
  const compared: (Record<Figure, number> & { entryType: EntryType })[] = [];
  for (const { entryType, kind } of entities) {
    const events = { ...readUsageFilter({ kind }), window };
    const legacy = await tallyWhole(database, summarizedEvents, usageSelection(accountId, events));
    const unlinked = { ...readUsageFilter({ kind, anomaly: "missing_ledger_link" }), window };
    const missing = await tallyWhole(database, summarizedEvents, usageSelection(accountId, unlinked));
    const entries = {
      entryType,
      types: null,
      sign: 0,
      amounts: { min: null, max: null },
      window,
    } as const;
    const ledger = await tallyWhole(database, summarizedEntries, ledgerSelection(accountId, entries));
    const settled = legacy.charged_count + legacy.failed_charged_review_count;
    compared.push({
      entryType,
      legacy_count: settled,
      legacy_amount: -legacy.settled,
      ledger_count: ledger.entry_count,
      ledger_amount: ledger.granted - ledger.consumed,
      missing_count: missing.total_count,
      // An event and its entry share one commit and one time, so that both lie in the window or neither does.
      extra_count: Math.max(0, ledger.entry_count - (settled - missing.total_count)),
    });
  }
  const ready = (each: (typeof compared)[number]): boolean =>
    each.missing_count === 0 && each.extra_count === 0 && each.legacy_amount === each.ledger_amount;
  const all = sum(["legacy_count", "legacy_amount", "ledger_count", "ledger_amount"], compared);
  const allReady = compared.every(ready);
  return {
    checked_at: timestamp(now),
    start_date: boundText(window.start),
    end_date: boundText(window.end),
    scope: "account_history",
    recommended_read_mode: allReady ? "ledger" : "legacy",
    ready: allReady,
    legacy_total_count: all.legacy_count,
    legacy_total_amount_credits: credits(all.legacy_amount),
    ledger_total_count: all.ledger_count,
    ledger_total_amount_credits: credits(all.ledger_amount),
    entities: compared.map((each) => ({
      entity_type: each.entryType,
      legacy_count: each.legacy_count,
      legacy_amount_credits: credits(each.legacy_amount),
      ledger_count: each.ledger_count,
      ledger_amount_credits: credits(each.ledger_amount),
      missing_count: each.missing_count,
      extra_count: each.extra_count,
      amount_delta_credits: credits(each.ledger_amount - each.legacy_amount),
      ready: ready(each),
    })),
  };
}
