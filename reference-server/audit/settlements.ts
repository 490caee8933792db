import type { components } from "../../generated/api.ts";
import { credits } from "../billing/money.ts";
import type { LedgerRow, UsageEventRow } from "../records.ts";
import type { AccountScope } from "./rows.ts";
import type { Read } from "./rows.ts";
import { timestamp } from "./window.ts";

type SettlementItem = components["schemas"]["SettlementItem"];

type Told = Pick<UsageEventRow, "id" | "display_target" | "billing_summary" | "billing_snapshot_status">;

/** Ledger entries as items of the settlement feed, each with the readable text of its usage event. */
export async function settlementItems(
  { database, accountId }: AccountScope,
  entries: readonly Read<LedgerRow>[],
): Promise<SettlementItem[]> {
  const ids = entries.flatMap((entry) =>
    entry.source_ref_type === "usage_event" && entry.source_ref_id ? [entry.source_ref_id] : [],
  );
  const events: Told[] = await database("usage_events")
    .select("id", "display_target", "billing_summary", "billing_snapshot_status")
    .whereIn("id", ids)
    // As an expression: an index by account would be walked from end to end.
    .whereRaw("(account_id || '') = ?", [accountId]);
  const byId = new Map(events.map((event) => [event.id, event]));
  return entries.map((entry) => {
    const event = entry.source_ref_id ? byId.get(entry.source_ref_id) : undefined;
    return {
      id: entry.id,
      source: "ledger",
      entry_type: entry.entry_type,
      amount_credits: credits(entry.amount),
      source_system: entry.source_system,
      source_ref_type: entry.source_ref_type,
      source_ref_id: entry.source_ref_id,
      execution_id: entry.execution_id,
      description: entry.description,
      display_target: event?.display_target ?? null,
      billing_summary: event?.billing_summary ?? null,
      billing_snapshot_status: event?.billing_snapshot_status ?? null,
      details_available: true,
      created_at: timestamp(entry.created_at),
    };
  });
}
