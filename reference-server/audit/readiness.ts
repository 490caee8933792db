import type { EntryType, UsageKind } from "../../generated/contract.ts";
import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import type { AccountScope } from "./rows.ts";
import { ledger } from "./ledger.ts";
import { readLedgerFilter } from "./ledger-filter.ts";
import { countWhole, sum } from "./tally.ts";
import { usage } from "./usage.ts";
import { readUsageFilter, type UsageQuery } from "./usage-filter.ts";
import { boundText, timestamp, type Window } from "./window.ts";

/** Which entries settle which events. Grants are recorded only in the ledger, so there is nothing to compare. */
const entities: readonly { entryType: EntryType; kind: UsageKind }[] = [
  { entryType: "consume_tool_search", kind: "discover" },
  { entryType: "consume_tool_execute", kind: "call" },
  { entryType: "consume_model_call", kind: "model" },
];

/** One type of consumption, in the events (the legacy records) and in the ledger. */
async function compare(scope: AccountScope, window: Window, { entryType, kind }: (typeof entities)[number]) {
  const countEvents = (query: UsageQuery) => countWhole(usage, scope, { ...readUsageFilter(query), window });
  const legacy = await countEvents({ kind });
  const missing = (await countEvents({ kind, anomaly: "missing_ledger_link" })).total_count;
  const entries = await countWhole(ledger, scope, { ...readLedgerFilter({ entry_type: entryType }), window });
  const settled = usage.countPositive(legacy);
  const amounts = { legacy: -legacy.settled, ledger: entries.granted - entries.consumed };
  // An event and its entry share one commit and one time, so both are in the window or neither is.
  const extra = Math.max(0, entries.entry_count - (settled - missing));
  return {
    figures: {
      legacy_count: settled,
      legacy_amount: amounts.legacy,
      ledger_count: entries.entry_count,
      ledger_amount: amounts.ledger,
    },
    entity: {
      entity_type: entryType,
      legacy_count: settled,
      legacy_amount_credits: credits(amounts.legacy),
      ledger_count: entries.entry_count,
      ledger_amount_credits: credits(amounts.ledger),
      missing_count: missing,
      extra_count: extra,
      amount_delta_credits: credits(amounts.ledger - amounts.legacy),
      ready: missing === 0 && extra === 0 && amounts.legacy === amounts.ledger,
    },
  };
}

/**
 * Compares the amounts settled by usage events (the legacy records) with the ledger entries of a window, for each type
 * of consumption. The ledger is ready if every settled event has its entry, no entry lacks an event, and the sums are
 * equal. Amounts are signed, as in the ledger.
 */
export async function ledgerReadiness(
  scope: AccountScope,
  window: Window,
  now: number,
): Promise<components["schemas"]["LedgerReadiness"]> {
  const compared: Awaited<ReturnType<typeof compare>>[] = [];
  for (const each of entities) compared.push(await compare(scope, window, each));
  const figures = compared.map((each) => each.figures);
  const all = sum(figures[0]!, figures);
  const ready = compared.every(({ entity }) => entity.ready);
  return {
    checked_at: timestamp(now),
    start_date: boundText(window.start),
    end_date: boundText(window.end),
    scope: "account_history",
    recommended_read_mode: ready ? "ledger" : "legacy",
    ready,
    legacy_total_count: all.legacy_count,
    legacy_total_amount_credits: credits(all.legacy_amount),
    ledger_total_count: all.ledger_count,
    ledger_total_amount_credits: credits(all.ledger_amount),
    entities: compared.map(({ entity }) => entity),
  };
}
