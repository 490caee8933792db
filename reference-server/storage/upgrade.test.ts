import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { chargeOutcomes, reasonCodes, eventTypes, entryTypes } from "../../generated/contract.ts";
import { createAccounts } from "../accounts/accounts.ts";
import { secretHash } from "../accounts/keys.ts";
import { contextOf, requestOf } from "../audit/history.fixture.ts";
import { createBooks } from "./books.ts";
import { micro } from "../billing/money.ts";
import { sampleEvent } from "../billing/sample-event.fixture.ts";
import { listLedger } from "../operations/list-ledger.ts";
import { listUsage } from "../operations/list-usage.ts";
import type { Tokens } from "../parts.ts";
import type { Dialect } from "./connection.ts";
import { migrations } from "./migrate.ts";
import { connectDatabase, openStorage } from "./open.ts";
import { heldClock, systemRandom, temporaryDatabase } from "./temporary.fixture.ts";

/*
 * Databases of each published schema, with rows written by literal SQL, which stays as it was, opened by the current
 * storage.
 */

const at = Date.UTC(2026, 8, 12, 10);
const key = "cc_live_kept";

const zeros = (count: number): string => new Array(count).fill("0").join(", ");

/** The rows of a server with the first schema: an account with its key, a charged call, a refusal, an open hold. */
const rows = [
  `INSERT INTO accounts (id, type, name, welcome_remaining, welcome_total, invite_remaining, invite_total,
     purchased_remaining, purchased_total, held, created_at)
   VALUES ('kept', 'formal', 'Ada', ${zeros(4)}, 97500000, 100000000, 1000000, ${at})`,
  `INSERT INTO api_keys (id, account_id, name, key_hash, masked_value, created_at)
   VALUES ('key-1', 'kept', 'work', '${secretHash(key)}', 'cc_live_…kept', ${at})`,
  `INSERT INTO usage_events (seq, id, account_id, event_type, kind, source_system, execution_id, tool_id, api_key_id,
     api_key_attribution_status, credential_type, success, billable_success, charge_outcome, reason_code, duration_ms,
     execution_outcome, billing_snapshot_status, pre_settlement_bill, settlement_result, requested_amount,
     settled_amount, credits_ledger_entry_id, created_at)
   VALUES (1, '0e4f6a52-0000-4000-8000-000000000001', 'kept', 'tool_execute', 'call', 'api', 'exec_kept', 'weather.v1',
     'key-1', 'attributed', 'api_key', 1, 1, 'charged', 'result.valid', 12.5, '{"outcome":"success"}', 'captured',
     '{"summary":"2.5 credits","list_amount_credits":2.5}', '{"settled_amount_credits":2.5}', 2500000, 2500000,
     '2b7e9c44-0000-4000-8000-000000000002', ${at})`,
  `INSERT INTO usage_events (seq, id, account_id, event_type, kind, source_system, execution_id, tool_id,
     api_key_attribution_status, credential_type, success, billable_success, charge_outcome, reason_code, duration_ms,
     billing_snapshot_status, requested_amount, settled_amount, created_at)
   VALUES (2, '0e4f6a52-0000-4000-8000-000000000002', 'kept', 'tool_execute', 'call', 'api', 'exec_refused',
     'weather.v1', 'not_applicable', 'jwt', 0, 0, 'failed_not_charged', 'validation_error', 0, 'captured', 2500000, 0,
     ${at + 1})`,
  `INSERT INTO usage_rollups VALUES ('kept', ${at}, 'tool_execute', 'charged', 1, 1, 2500000, 2500000)`,
  `INSERT INTO usage_rollups VALUES ('kept', ${at}, 'tool_execute', 'failed_not_charged', 0, 1, 2500000, 0)`,
  `INSERT INTO ledger_entries (seq, id, account_id, entry_type, amount, source_system, balance_before, balance_after,
     description, created_at)
   VALUES (1, '2b7e9c44-0000-4000-8000-000000000001', 'kept', 'grant_payment_recharge', 100000000, 'operator', 0,
     100000000, 'Opening credits', ${at})`,
  `INSERT INTO ledger_entries (seq, id, account_id, entry_type, amount, source_system, source_ref_type, source_ref_id,
     execution_id, balance_before, balance_after, description, created_at)
   VALUES (2, '2b7e9c44-0000-4000-8000-000000000002', 'kept', 'consume_tool_execute', -2500000, 'api', 'usage_event',
     '0e4f6a52-0000-4000-8000-000000000001', 'exec_kept', 100000000, 97500000, 'Current weather', ${at})`,
  `INSERT INTO ledger_rollups VALUES ('kept', ${at}, 'grant_payment_recharge', 1, 100000000)`,
  `INSERT INTO ledger_rollups VALUES ('kept', ${at}, 'consume_tool_execute', 1, -2500000)`,
  `INSERT INTO tool_stats (tool_id, executions, successes, total_duration_ms) VALUES ('weather.v1', 1, 1, 12.5)`,
  `INSERT INTO processes VALUES ('gone', ${at}, 3)`,
  `INSERT INTO holds VALUES ('exec_open', 'kept', 1000000, '${JSON.stringify(sampleEvent("kept", "exec_open", 0))}',
     'gone', ${at})`,
];

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A database as a server with the first migrations left it, opened by the current storage. */
async function upgraded(steps: number) {
  const { url, remove } = await temporaryDatabase();
  open.push(remove);
  const old = await connectDatabase(url);
  await old.all("CREATE TABLE schema_steps (name TEXT PRIMARY KEY)");
  for (const { name, statements } of migrations.slice(0, steps)) {
    for (const statement of statements(old.dialect)) await old.all(statement);
    await old.all("INSERT INTO schema_steps (name) VALUES (?)", [name]);
  }
  for (const row of rows) await old.all(row);
  await old.destroy();
  const clock = heldClock(at + 3_600_000);
  const storage = await openStorage({ url, clock, random: systemRandom, log: pino({ level: "silent" }) });
  open.unshift(storage.close);
  return { ...storage, clock };
}

describe.each(migrations.map(({ name }, index) => ({ name, steps: index + 1 })))(
  "a database of the schema $name",
  ({ steps }) => {
    it("keeps its accounts, keys and balances", async () => {
      const { database, writer, clock } = await upgraded(steps);
      const tokens = {} as Tokens;
      const accounts = createAccounts({ database, writer, tokens, clock, random: systemRandom });
      expect(await accounts.authenticate(key)).toMatchObject({ account: { id: "kept", name: "Ada" } });
      expect(await createBooks({ database, writer }).balance("kept")).toMatchObject({
        available: micro(96.5),
        held: micro(1),
        purchased: { remaining: micro(97.5), total: micro(100) },
      });
    });

    it("shows its events and entries as they were written", async () => {
      const { database, clock } = await upgraded(steps);
      const context = contextOf(database, clock.now());
      const request = requestOf("kept", { summary: true });
      expect(await listUsage(request as never, context)).toMatchObject({
        status: 200,
        body: {
          data: {
            total: 2,
            items: [
              { execution_id: "exec_refused", charge_outcome: "failed_not_charged" },
              { execution_id: "exec_kept", settled_amount_credits: 2.5, api_key: { name: "work" } },
            ],
            summary: { total_count: 2, settled_credits: 2.5 },
          },
        },
      });
      expect(await listLedger(request as never, context)).toMatchObject({
        status: 200,
        body: {
          data: {
            total: 2,
            items: [{ amount_credits: -2.5, execution_id: "exec_kept" }, { amount_credits: 100 }],
            summary: { total_entries: 2, net_amount_credits: 97.5 },
          },
        },
      });
    });

    it("goes on: the open hold is voided, and new rows follow the old ones", async () => {
      const { database, writer } = await upgraded(steps);
      const books = createBooks({ database, writer });
      expect(await books.sweep()).toBe(1);
      const recorded = await books.record(sampleEvent("kept", "exec_new", micro(2.5)));
      expect(recorded).toMatchObject({ remaining: micro(95) });
      const events = await database("usage_events").orderBy("seq").pluck("execution_id");
      expect(events).toEqual(["exec_kept", "exec_refused", "exec_open", "exec_new"]);
      const balances = await database("ledger_entries").orderBy("seq").pluck("balance_after");
      expect(balances).toEqual([micro(100), micro(97.5), micro(95)]);
    });
  },
);

it.each([
  ["001-accounts-books-audit", "a593d4efd3b07ec3", "aef5610fa6ceeeb3"],
  ["002-several-processes", "4f53cda18c2baa0c", "a729896ce65ab4d1"],
  ["003-closed-accounts", "1d2a97948da0bb16", "c484be66b666c917"],
  ["004-numbers-after-rows", "4f53cda18c2baa0c", "62a4fabed92a4fd4"],
  ["005-mailed-inboxes", "b73c8de56307b0b5", "b73c8de56307b0b5"],
])("the published step %s is unchanged", (name, sqlite, postgres) => {
  const step = migrations.find((each) => each.name === name);
  const digest = (dialect: Dialect): string =>
    createHash("sha256")
      .update(JSON.stringify(step?.statements(dialect)))
      .digest("hex")
      .slice(0, 16);
  expect([digest("sqlite"), digest("postgres")]).toEqual([sqlite, postgres]);
});

it("the changelog names the version that introduced the newest step", () => {
  const changelog = readFileSync(new URL("../../docs/CHANGELOG.md", import.meta.url), "utf8");
  expect(changelog).toContain(migrations.at(-1)!.name);
});

it.each([...chargeOutcomes, ...reasonCodes, ...eventTypes, ...entryTypes])(
  "%s can be stored: a migration allows it",
  (word) => {
    const schema = migrations.flatMap(({ statements }) => statements("sqlite")).join("\n");
    expect(schema.includes(`'${word}'`), `whether a migration allows ${word} in the storage`).toBe(true);
  },
);
