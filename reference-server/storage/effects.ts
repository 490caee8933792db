import { amountColumns, type Book } from "../billing/book.ts";
import { reasons } from "../billing/outcome.ts";
import { storableText } from "./connection.ts";
import type { Binding, Connection } from "./connection.ts";
import { padded } from "./gathered.ts";
import { marks } from "./reader.ts";
import type {
  AccountRow,
  LedgerRollupRow,
  LedgerRow,
  ToolStatsRow,
  UsageEventRow,
  UsageRollupRow,
} from "../records.ts";

const hourMs = 3_600_000;

/**
 * Writes the results of a batch's commands with a few multi-row statements.
 * @param at.now epoch ms of the rows
 * @param at.owner the writing process, whose tool statistics are kept separately on Postgres
 */
export async function writeEffects(
  connection: Connection,
  book: Book,
  at: { now: number; owner: string },
): Promise<void> {
  const added = additions(book).filter(({ rows }) => rows.length > 0);
  if (connection.dialect === "postgres") return writePostgres(connection, book, added, at);
  await updateAccounts(connection, book.changed());
  if (book.closed.size > 0) {
    const closed = padded([...book.closed]);
    await connection.all(`DELETE FROM holds WHERE execution_id IN (${marks(closed.length)})`, closed);
  }
  for (const addition of added) await insert(connection, addition);
}

/** Rows that a batch adds to a table. With `sums`, an existing row with the same key is added to. */
interface Addition {
  table: string;
  /** All with the same columns. */
  rows: readonly object[];
  key?: readonly string[];
  sums?: readonly string[];
}

const additions = (book: Book): Addition[] => [
  { table: "holds", rows: [...book.opened.values()] },
  { table: "ledger_entries", rows: book.entries },
  { table: "usage_events", rows: book.events },
  {
    table: "usage_rollups",
    rows: usageRollups(book.events),
    key: ["account_id", "hour", "event_type", "charge_outcome", "success"],
    sums: ["event_count", "requested_amount", "settled_amount"],
  },
  {
    table: "ledger_rollups",
    rows: ledgerRollups(book.entries),
    key: ["account_id", "hour", "entry_type"],
    sums: ["entry_count", "amount"],
  },
  {
    table: "tool_stats",
    rows: toolStats(book.events),
    key: ["tool_id"],
    sums: ["executions", "successes", "total_duration_ms"],
  },
];

const columnsOf = ({ rows: [first] }: Addition): string[] => Object.keys(first!);

const onConflict = ({ table, key = [], sums = [] }: Addition): string =>
  sums.length === 0
    ? ""
    : `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sums.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`).join(", ")}`;

/**
 * The same in one statement, since a process that lacks CPU time waits long for every answer while it holds the locks
 * of accounts. Rows are passed as JSON, one binding per table: with thousands of bindings, parsing the statement would
 * take longer than executing it.
 */
async function writePostgres(
  connection: Connection,
  book: Book,
  added: readonly Addition[],
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
  for (const each of added) {
    const addition = each.table === "tool_stats" ? sharded(each, owner) : each;
    const { table, rows } = addition;
    const names = columnsOf(addition).join(", ");
    parts.push(
      `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${records(table, rows)} ${onConflict(addition)}`,
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

function sharded({ rows, key = [], ...addition }: Addition, owner: string): Addition {
  const shard = Number.parseInt(owner.slice(-4), 16) % shards || 0;
  return { ...addition, rows: rows.map((row) => ({ ...row, shard })), key: [...key, "shard"] };
}

/** The most rows of one statement on SQLite: an event of its own has forty bindings, of at most 32,766. */
const mostRows = 64;

/** Parts of a list whose lengths are powers of two, so that statements over them have few texts, each kept prepared. */
function* partsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length;) {
    const left = rows.length - start;
    const size = Math.min(mostRows, 2 ** Math.floor(Math.log2(left)));
    yield rows.slice(start, (start += size));
  }
}

/** Postgres rejects NUL and lone surrogates inside JSON, although they would be replaced in a binding. */
const storableJson = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? storableText(value) : value;

async function insert(connection: Connection, addition: Addition): Promise<void> {
  const { table, rows } = addition;
  const columns = columnsOf(addition);
  const row = `(${marks(columns.length)})`;
  for (const part of partsOf(rows as Record<string, Binding>[])) {
    const values = new Array(part.length).fill(row).join(", ");
    await connection.all(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values} ${onConflict(addition)}`,
      part.flatMap((each) => columns.map((column) => each[column]!)),
    );
  }
}

/** An UPDATE rather than an upsert: a formal account's row would conflict on its e-mail as well as its id. */
async function updateAccounts(connection: Connection, accounts: readonly AccountRow[]): Promise<void> {
  const row = `(?, ${amountColumns.map(() => "CAST(? AS BIGINT)").join(", ")})`;
  const changes = amountColumns.map((column, index) => `${column} = changed.column${index + 2}`);
  for (const part of partsOf(accounts)) {
    await connection.all(
      `UPDATE accounts SET ${changes.join(", ")}
        FROM (VALUES ${part.map(() => row).join(", ")}) AS changed
        WHERE accounts.id = changed.column1`,
      part.flatMap((account) => [account.id, ...amountColumns.map((column) => account[column])]),
    );
  }
}

function sumBy<Row, Sum extends object>(
  rows: readonly Row[],
  key: (row: Row) => string,
  first: (row: Row) => Sum,
  add: (sum: Sum, row: Row) => void,
): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const id = key(row);
    let sum = sums.get(id);
    if (sum === undefined) sums.set(id, (sum = first(row)));
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
