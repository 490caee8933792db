import type { Knex } from "knex";
import type { Book } from "../billing/book.ts";
import type { Context } from "../http/operation.ts";
import type { Caller } from "../parts.ts";
import { writeEffects } from "../storage/effects.ts";
import { migrate } from "../storage/migrate.ts";
import { openDatabase } from "../storage/open.ts";
import { kindOf, type LedgerRow, type UsageEventRow } from "../records.ts";
import { temporaryDatabase } from "../storage/temporary.fixture.ts";

/** A database of events and entries in a temporary file, with rollups written as the server writes them. */
export interface History {
  database: Knex;
  write(rows: { events?: UsageEventRow[]; entries?: LedgerRow[] }): Promise<void>;
  close(): Promise<void>;
}

/** Opens an empty database with the accounts `mine` and `theirs`, and one API key of mine. */
export async function openHistory(): Promise<History> {
  const { url, remove } = await temporaryDatabase();
  const opened = await openDatabase(url);
  const writer = await opened.connect();
  await migrate(writer);
  for (const account of ["mine", "theirs"]) {
    await writer.all(
      `INSERT INTO accounts (id, type, welcome_remaining, welcome_total, invite_remaining, invite_total,
         purchased_remaining, purchased_total, held, created_at)
       VALUES ('${account}', 'formal', 0, 0, 0, 0, 0, 0, 0, 0)`,
    );
  }
  await writer.all(
    `INSERT INTO api_keys VALUES ('${keyId}', 'mine', 'work', '${"0".repeat(64)}', 'ck_…abcd', 0, NULL)`,
  );
  const database = await opened.read();
  return {
    database,
    async write({ events = [], entries = [] }) {
      await writer.begin();
      // Inserts one hour at a time, since the rollups of a commit all take the hour of its first row.
      const hours = new Set([...events, ...entries].map(({ created_at }) => hourOf(created_at)));
      for (const hour of hours) {
        await writeEffects(
          writer,
          {
            touched: new Set(),
            changed: () => [],
            opened: new Map(),
            closed: new Set(),
            events: events.filter(({ created_at }) => hourOf(created_at) === hour),
            entries: entries.filter(({ created_at }) => hourOf(created_at) === hour),
          } as unknown as Book,
          { now: 0, owner: "history" },
        );
      }
      await writer.commit();
    },
    async close() {
      await database.destroy();
      await writer.destroy();
      await opened.close();
      await remove();
    },
  };
}

const hourOf = (ms: number): number => Math.floor(ms / 3_600_000);

export const keyId = "6f0c2d1e-8a4b-4c57-9a3e-2f1b7d90c5a1";

const uuid = (prefix: string, seq: number): string =>
  `${prefix}-0000-4000-8000-${String(seq).padStart(12, "0")}`;

/** A charged call of mine in the epoch's hour `seq`, with the given changes. */
export const eventRow = (seq: number, columns: Partial<UsageEventRow> = {}): UsageEventRow => ({
  seq,
  id: uuid("0e4f6a52", seq),
  account_id: "mine",
  event_type: "tool_execute",
  kind: kindOf[columns.event_type ?? "tool_execute"],
  source_system: "api",
  source_ref_type: null,
  source_ref_id: null,
  session_id: null,
  search_id: null,
  execution_id: `exec_${seq}`,
  tool_id: "sample.weather.current",
  capability_id: null,
  model: null,
  query: null,
  api_key_id: keyId,
  api_key_attribution_status: "attributed",
  credential_type: "api_key",
  oauth_client_id: null,
  success: 1,
  billable_success: 1,
  charge_outcome: "charged",
  reason_code: "result.valid",
  error_message: null,
  duration_ms: 12.5,
  request_payload: '{"parameters":{"city":"Bern"}}',
  response_payload_summary: '{"size_bytes":412}',
  execution_outcome: '{"outcome":"valid"}',
  outcome: "valid",
  outcome_message: null,
  billing_snapshot_status: "captured",
  billing_rule_snapshot: '{"unit":"request","amount_credits":2.5}',
  pre_settlement_bill: '{"summary":"1 request, 2.5 credits","list_amount_credits":2.5}',
  settlement_result: '{"settled_amount_credits":2.5}',
  billing_unit: "request",
  unit_price: 2_500_000,
  quantity: 1,
  list_amount: 2_500_000,
  requested_amount: 2_500_000,
  settled_amount: 2_500_000,
  credits_ledger_entry_id: uuid("2b7e9c44", seq),
  display_target: "Current weather",
  billing_summary: "2.5 credits charged",
  created_at: seq * 3_600_000,
  ...columns,
});

/** The entry of the event with the same number, with the given changes. */
export const entryRow = (seq: number, columns: Partial<LedgerRow> = {}): LedgerRow => {
  const amount = columns.amount ?? -2_500_000;
  return {
    seq,
    id: uuid("2b7e9c44", seq),
    account_id: "mine",
    entry_type: "consume_tool_execute",
    amount,
    source_system: "api",
    source_ref_type: "usage_event",
    source_ref_id: uuid("0e4f6a52", seq),
    execution_id: amount < 0 ? `exec_${seq}` : null,
    pre_settlement_bill: null,
    settlement_result: null,
    balance_before: 1_000_000_000,
    balance_after: 1_000_000_000 + amount,
    ledger_metadata: '{"categories":{"purchased":-2.5}}',
    description: "Current weather, 2.5 credits",
    created_at: seq * 3_600_000,
    ...columns,
  };
};

/** The context of an operation that reads this history, at a fixed time. */
export const contextOf = (database: Knex, now: number): Context =>
  ({ database, clock: { now: () => now } }) as unknown as Context;

/** A request of an account, with query and path parameters. */
export const requestOf = <Params extends object = object>(
  account: string,
  query: object = {},
  params = {} as Params,
) => ({
  query,
  params,
  headers: {},
  body: undefined,
  caller: { account: { id: account } } as Caller,
  clientAddress: "127.0.0.1",
  hold: () => undefined,
});
