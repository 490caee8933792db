import type { Knex } from "knex";
import type { UsageEventRow } from "../storage/rows.ts";
import type { Position } from "./cursor.ts";
import { rangeOf } from "./hours.ts";
import { exportPageSize, keysetPages, newestFirst, whereOwn, whereOwnFrom } from "./own-rows.ts";
import { type Paging, totalOfPage } from "./paging.ts";
import { type Counted, type Selection, tallyWhole } from "./tally.ts";
import { type ListedEvent, type UsageEventBody, usageEventBody } from "./usage-event.ts";
import { coveredByRollups, type UsageFilter, whereRollups, whereUsage } from "./usage-filter.ts";
import type { Window } from "./window.ts";

const listedColumns = [
  "seq",
  "id",
  "event_type",
  "kind",
  "source_system",
  "source_ref_type",
  "source_ref_id",
  "session_id",
  "search_id",
  "execution_id",
  "tool_id",
  "model",
  "query",
  "api_key_id",
  "api_key_attribution_status",
  "credential_type",
  "oauth_client_id",
  "success",
  "billable_success",
  "charge_outcome",
  "reason_code",
  "error_message",
  "duration_ms",
  "execution_outcome",
  "outcome",
  "outcome_message",
  "billing_snapshot_status",
  "billing_rule_snapshot",
  "pre_settlement_bill",
  "settlement_result",
  "billing_unit",
  "unit_price",
  "quantity",
  "list_amount",
  "requested_amount",
  "settled_amount",
  "credits_ledger_entry_id",
  "display_target",
  "billing_summary",
  "created_at",
] as const satisfies readonly (keyof UsageEventRow)[];

/** An event's API key as it may be shown, read with its row: one statement a page. */
const shownKey = (["name", "masked_value"] as const).map(
  (column) =>
    `(SELECT ${column} FROM api_keys WHERE api_keys.id = usage_events.api_key_id) AS api_key_${column}`,
);

/** A query of events that reads what is shown of each; their details only where they are asked for. */
export const selectEvents = (database: Knex, details: boolean): Knex.QueryBuilder =>
  database("usage_events")
    .select(details ? [...listedColumns, "request_payload", "response_payload_summary"] : listedColumns)
    .select(shownKey.map((column) => database.raw(column)));

/** What a usage filter selects of an account, to be counted. */
export const usageSelection = (
  accountId: string,
  filter: UsageFilter,
  window: Window = filter.window,
): Selection => ({
  accountId,
  range: rangeOf(window),
  whereRows: (rows) => whereUsage(rows, filter),
  whereRollups: coveredByRollups(filter) ? (rollups) => whereRollups(rollups, filter) : null,
});

const countedEvents: Counted<"events"> = {
  table: "usage_events",
  rollups: "usage_rollups",
  overRows: { events: "1" },
  overRollups: { events: "event_count" },
};

/**
 * One page of an account's events, newest first, and how many match in all. The total comes from the page itself where
 * it is the last one, from rollups where they cover the filter, and from a count of the matching rows otherwise.
 */
export async function usagePage(
  database: Knex,
  accountId: string,
  filter: UsageFilter,
  paging: Paging,
  details: boolean,
): Promise<{ items: UsageEventBody[]; total: number }> {
  const query = whereUsage(
    whereOwn(selectEvents(database, details), accountId, rangeOf(filter.window)),
    filter,
  );
  const rows: ListedEvent[] = await newestFirst(query).limit(paging.pageSize).offset(paging.offset);
  const total =
    totalOfPage(paging, rows.length) ??
    (await tallyWhole(database, countedEvents, usageSelection(accountId, filter))).events;
  return { items: rows.map((row) => usageEventBody(row, details)), total };
}

/** At most `size` of an account's events after a position, newest first, without their details. */
export async function usageAfter(
  database: Knex,
  accountId: string,
  filter: UsageFilter,
  position: Position | null,
  size: number,
): Promise<ListedEvent[]> {
  const events = selectEvents(database, false).limit(size);
  return whereUsage(whereOwnFrom(events, accountId, rangeOf(filter.window), position), filter);
}

/** One event of the account in full; undefined where it has none of this id. */
export async function usageEvent(
  database: Knex,
  accountId: string,
  id: string,
): Promise<UsageEventBody | undefined> {
  const rows: ListedEvent[] = await selectEvents(database, true).where({
    id: id.toLowerCase(),
    account_id: accountId,
  });
  return rows.map((row) => usageEventBody(row, true))[0];
}

/** Epoch ms of the account's first event; null when it has none. */
export async function firstEvent(database: Knex, accountId: string): Promise<number | null> {
  const rows: { created_at: number }[] = await database("usage_events")
    .select("created_at")
    .where("account_id", accountId)
    .orderBy("created_at")
    .limit(1);
  return rows[0]?.created_at ?? null;
}

/** Everything that a filter selects, page by page, newest first, for an export. */
export async function* exportedEvents(
  database: Knex,
  accountId: string,
  filter: UsageFilter,
): AsyncGenerator<UsageEventBody[], void, undefined> {
  const pages = keysetPages(exportPageSize, (position, size) =>
    usageAfter(database, accountId, filter, position, size),
  );
  for await (const rows of pages) yield rows.map((row) => usageEventBody(row, false));
}
