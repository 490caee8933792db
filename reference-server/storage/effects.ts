import { kept } from "../../base/data.ts";
import { amountColumns, type Book } from "../billing/book.ts";
import { reasons } from "../billing/outcome.ts";
import { storableText } from "./connection.ts";
import type { Binding, Connection } from "./connection.ts";
import { marks } from "./reader.ts";
import { ledgerColumns, usageEventColumns } from "../records.ts";
import type {
  HoldRow,
  LedgerRollupRow,
  LedgerRow,
  ToolStatsRow,
  UsageEventRow,
  UsageRollupRow,
} from "../records.ts";

const hourMs = 3_600_000;

/**
 * Writes the results of a batch's commands, in one statement.
 * @param at.now epoch ms of the rows
 * @param at.owner the writing process, whose tool statistics are kept separately on Postgres
 */
export function writeEffects(
  connection: Connection,
  book: Book,
  at: { now: number; owner: string },
): Promise<void> {
  return connection.dialect === "postgres"
    ? writePostgres(connection, book, at)
    : writeSqlite(connection, book);
}

/** A table that a batch adds rows to. With `sums`, amounts are added to an existing row with the same key. */
interface Table {
  name: string;
  columns: readonly string[];
  key?: readonly string[];
  sums?: readonly string[];
  rows(book: Book): readonly object[];
}

const sumTable = <Row>(
  name: string,
  key: readonly (keyof Row & string)[],
  sums: readonly (keyof Row & string)[],
  rows: (book: Book) => readonly (Row & object)[],
): Table => ({ name, columns: [...key, ...sums], key, sums, rows });

const tables: readonly Table[] = [
  {
    name: "holds",
    columns: [
      "execution_id",
      "account_id",
      "amount",
      "event",
      "owner",
      "created_at",
    ] satisfies (keyof HoldRow)[],
    rows: ({ opened }) => [...opened.values()],
  },
  { name: "ledger_entries", columns: ledgerColumns, rows: ({ entries }) => entries },
  { name: "usage_events", columns: usageEventColumns, rows: ({ events }) => events },
  sumTable<UsageRollupRow>(
    "usage_rollups",
    ["account_id", "hour", "event_type", "charge_outcome", "success"],
    ["event_count", "requested_amount", "settled_amount"],
    ({ events }) => usageRollups(events),
  ),
  sumTable<LedgerRollupRow>(
    "ledger_rollups",
    ["account_id", "hour", "entry_type"],
    ["entry_count", "amount"],
    ({ entries }) => ledgerRollups(entries),
  ),
  sumTable<ToolStatsRow>(
    "tool_stats",
    ["tool_id"],
    ["executions", "successes", "total_duration_ms"],
    ({ events }) => toolStats(events),
  ),
];

const onConflict = ({ name, key = [], sums = [] }: Table): string =>
  sums.length === 0
    ? ""
    : `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sums.map((sum) => `${sum} = ${name}.${sum} + excluded.${sum}`).join(", ")}`;

/** An account's row by position: its id, then its amounts. */
const balanceColumns = ["id", ...amountColumns] as const;

const cells = (columns: readonly string[]): string =>
  columns.map((_, position) => `value ->> ${position}`).join(", ");

/** The changed accounts, the holds that are closed, and the rows of each table. */
export const batchColumns: readonly string[] = ["accounts", "closed", ...tables.map(({ name }) => name)];

/**
 * SQLite has no statement that writes to several tables, but a trigger may. A batch is one row of a view, and each of
 * its columns is a JSON list of the rows of a table. Every statement costs a trip to a thread and back, whatever it
 * does; this one has the same text for all batches, and is prepared once.
 */
export const batchView: readonly string[] = [
  `CREATE TEMP VIEW batch AS SELECT ${batchColumns.map((name) => `NULL AS ${name}`).join(", ")}`,
  `CREATE TEMP TRIGGER write_batch INSTEAD OF INSERT ON batch BEGIN
    UPDATE accounts SET ${amountColumns.map((column, index) => `${column} = value ->> ${index + 1}`).join(", ")}
      FROM jsonb_each(NEW.accounts) WHERE accounts.id = value ->> 0;
    DELETE FROM holds WHERE execution_id IN (SELECT value FROM json_each(NEW.closed));
    ${tables
      .map(
        (table) =>
          `INSERT INTO ${table.name} (${table.columns.join(", ")})
            SELECT ${cells(table.columns)} FROM jsonb_each(NEW.${table.name}) WHERE true ${onConflict(table)};`,
      )
      .join("\n")}
  END`,
];

export const insertBatch = `INSERT INTO batch VALUES (${marks(batchColumns.length)})`;

async function writeSqlite(connection: Connection, book: Book): Promise<void> {
  const accounts = asJson(book.changed(), balanceColumns);
  const lists = tables.map(({ columns, rows }) => asJson(rows(book), columns));
  await connection.all(insertBatch, [accounts, JSON.stringify([...book.closed]), ...lists]);
}

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value;

/** Rows as a JSON list of lists. SQLite would store a lone surrogate as invalid UTF-8. */
function asJson(rows: readonly object[], columns: readonly string[]): string {
  if (rows.length === 0) return "[]";
  const lists = (rows as readonly Record<string, Binding>[]).map((row) =>
    columns.map((column) => row[column]!),
  );
  const text = JSON.stringify(lists);
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(lists, wellFormed) : text;
}

/**
 * One statement, since a process that lacks CPU time waits long for every answer while it holds the locks
 * of accounts. Rows are passed as JSON, one binding per table: with thousands of bindings, parsing the statement would
 * take longer than executing it.
 */
async function writePostgres(
  connection: Connection,
  book: Book,
  { now, owner }: { now: number; owner: string },
): Promise<void> {
  const parts: string[] = [];
  const bindings: Binding[] = [];
  const records = (table: string, rows: readonly object[]): string => {
    bindings.push(JSON.stringify(rows, storableJson));
    return `json_populate_recordset(CAST(NULL AS ${table}), CAST(? AS json))`;
  };
  if (book.touched.size > 0) {
    const changes = amountColumns.map((column) => `${column} = changed.${column}`);
    parts.push(
      `UPDATE accounts SET ${changes.join(", ")}, written_at = greatest(accounts.written_at, ${now})
        FROM ${records("accounts", [...book.touched])} AS changed WHERE accounts.id = changed.id`,
    );
  }
  if (book.closed.size > 0) {
    parts.push(`DELETE FROM holds WHERE execution_id IN (${marks(book.closed.size)})`);
    bindings.push(...book.closed);
  }
  for (const each of tables) {
    const table = each.name === "tool_stats" ? sharded(each, owner) : each;
    const rows = table.rows(book);
    if (rows.length === 0) continue;
    const names = table.columns.join(", ");
    parts.push(
      `INSERT INTO ${table.name} (${names}) SELECT ${names} FROM ${records(table.name, rows)} ${onConflict(table)}`,
    );
  }
  if (parts.length === 0) return;
  await connection.all(
    `WITH ${parts.map((part, index) => `part${index} AS (${part})`).join(", ")} SELECT 1`,
    bindings,
  );
}

/** The number of rows for a tool's statistics on Postgres, so that few processes share one. */
const shards = 64;

function sharded(table: Table, owner: string): Table {
  const shard = Number.parseInt(owner.slice(-4), 16) % shards || 0;
  return {
    ...table,
    columns: [...table.columns, "shard"],
    key: [...table.key!, "shard"],
    rows: (book) => table.rows(book).map((row) => ({ ...row, shard })),
  };
}

/** Postgres rejects NUL and lone surrogates inside JSON, although they would be replaced in a binding. */
const storableJson = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? storableText(value) : value;

function sumBy<Row, Sum extends object>(
  rows: readonly Row[],
  key: (row: Row) => string,
  first: (row: Row) => Sum,
  add: (sum: Sum, row: Row) => void,
): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const sum = kept(sums, key(row), () => first(row));
    add(sum, row);
  }
  return [...sums.values()];
}

const hourOf = (time: number): number => time - (time % hourMs);

const usageRollups = (events: readonly UsageEventRow[]): UsageRollupRow[] =>
  sumBy(
    events,
    (event) => `${event.account_id} ${event.event_type} ${event.charge_outcome} ${event.success}`,
    ({ account_id, created_at, event_type, charge_outcome, success }): UsageRollupRow => ({
      account_id,
      hour: hourOf(created_at),
      event_type,
      charge_outcome,
      success,
      event_count: 0,
      requested_amount: 0,
      settled_amount: 0,
    }),
    (sum, event) => {
      sum.event_count += 1;
      sum.requested_amount += event.requested_amount;
      sum.settled_amount += event.settled_amount;
    },
  );

const ledgerRollups = (entries: readonly LedgerRow[]): LedgerRollupRow[] =>
  sumBy(
    entries,
    (entry) => `${entry.account_id} ${entry.entry_type}`,
    ({ account_id, created_at, entry_type }): LedgerRollupRow => ({
      account_id,
      hour: hourOf(created_at),
      entry_type,
      entry_count: 0,
      amount: 0,
    }),
    (sum, entry) => {
      sum.entry_count += 1;
      sum.amount += entry.amount;
    },
  );

/**
 * Only executions that reached the provider count, so that callers' mistakes do not spoil a tool's statistics. Sorted,
 * so that all processes lock the rows in the same order.
 */
const toolStats = (events: readonly UsageEventRow[]): ToolStatsRow[] =>
  sumBy(
    events.filter(
      (event) =>
        event.tool_id !== null && event.execution_outcome !== null && reasons[event.reason_code].executed,
    ),
    (event) => event.tool_id!,
    (event): ToolStatsRow => ({ tool_id: event.tool_id!, executions: 0, successes: 0, total_duration_ms: 0 }),
    (sum, event) => {
      sum.executions += 1;
      sum.successes += event.success;
      sum.total_duration_ms += event.duration_ms;
    },
  ).sort((one, other) => (one.tool_id < other.tool_id ? -1 : 1));
