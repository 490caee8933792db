import type { Book } from "../billing/book.ts";
import { Contended, exclusively, Interrupted } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { marks } from "./reader.ts";
import { accountColumns, type AccountRow, type Held } from "../records.ts";
import { leapMs } from "../system-clock.ts";

/*
 * How a batch begins, so that the rows of several processes on one Postgres stay in order:
 *
 * - A batch with a `run` excludes other such batches (an advisory lock). Claims, keys and accounts are written only by
 *   `run`s, so the rows that a `run` reads do not change before COMMIT.
 * - The accounts of money commands are locked in the order of their ids. An account that another process has locked is
 *   skipped, and its commands wait for it separately (storage/writer.ts), so that a hot account does not stall others.
 *   Balances and holds are read only after that, and the time and the numbers of the new rows are taken. The time is
 *   the database's, but not before the last row of any of these accounts (`accounts.written_at`); the numbers come
 *   from sequences. So within one account `created_at` and `seq` grow in the order of commits. A feed, read newest
 *   first from a position, neither repeats nor skips a row, whichever processes wrote it and whatever their clocks say.
 *
 * On SQLite the write lock provides all of this; numbers and time continue from the last rows.
 */

/** The initial state for a batch's money commands. */
export interface Loaded {
  accounts: AccountRow[];
  holds: Held[];
  /** The last numbers assigned. */
  usageSeq: number;
  ledgerSeq: number;
  /** The time of the rows in epoch ms; not before any earlier row of these accounts. */
  now: number;
  /** The number of rows of either kind that may follow the last numbers. */
  maxRows: number;
  /** The locked account that a command needs; null if the command can be applied. */
  lockedBy(command: Names): string | null;
}

/** The ids of the accounts, and of the executions with their holds, that commands name. */
export interface Names {
  accounts: readonly string[];
  executions: readonly string[];
}

const noNames: Names = { accounts: [], executions: [] };

/**
 * What to do about an account locked by another transaction: wait for it, skip it, or wait for a limited time. On
 * SQLite no account is ever locked.
 */
export type Locks = "wait" | "skip" | { withinMs: number };

export interface Opening {
  /** Epoch ms. */
  now: number;
  /**
   * The rows that the batch's commands affect, in their latest state and protected from changes until COMMIT.
   * @throws Contended if an account's lock was not obtained in time
   */
  load(names: Names, locks: Locks): Promise<Loaded>;
}

/**
 * Begins the work of a batch, and gives the process's sign of life.
 * @param batch.clockNow this process's time in epoch ms
 * @param batch.databaseTime whether rows get the database's time instead (Postgres only), unless it leaps away from ours
 * @param batch.named by its commands; a batch with a `run` may load more
 * @param batch.withRuns whether it has a `run`
 */
export function openBatch(
  connection: Connection,
  batch: {
    owner: string;
    number: number;
    clockNow: number;
    databaseTime: boolean;
    withRuns: boolean;
    named: Names;
  },
): Promise<Opening> {
  return connection.dialect === "sqlite" ? openSqlite(connection, batch) : openPostgres(connection, batch);
}

type Batch = Parameters<typeof openBatch>[1];

const signed = `ON CONFLICT (owner) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, batch = excluded.batch`;

const heldColumns = ["execution_id", "account_id", "amount"] as const satisfies (keyof Held)[];

const holdsOf = async (connection: Connection, executionIds: readonly string[]): Promise<Held[]> =>
  executionIds.length === 0
    ? []
    : connection.all<Held>(
        `SELECT ${heldColumns.join(", ")} FROM holds WHERE execution_id IN (${marks(executionIds.length)})`,
        executionIds,
      );

/** Sorted, which is the order of locking. */
const accountIdsOf = (ids: readonly string[], holds: readonly Held[]): string[] =>
  [...new Set([...ids, ...holds.map((hold) => hold.account_id)])].sort();

const lastTime = (table: string): string =>
  `coalesce((SELECT created_at FROM ${table} ORDER BY seq DESC LIMIT 1), 0)`;
const lastNumber = (table: string): string => `(SELECT coalesce(max(seq), 0) FROM ${table})`;

const asJson = (columns: readonly string[]): string =>
  `json_group_array(json_object(${columns.map((column) => `'${column}', ${column}`).join(", ")}))`;
const named = (list: string): string => `(SELECT value FROM json_each(${list}))`;

/** The rows that commands name: each kind as one JSON list, so that one statement reads both. */
const rowsNamed = (executions: string, accounts: string): string =>
  `(SELECT ${asJson(heldColumns)} FROM holds WHERE execution_id IN ${named(executions)}) AS holds,
  (SELECT ${asJson(accountColumns)} FROM accounts WHERE id IN (
    SELECT value FROM json_each(${accounts})
    UNION SELECT account_id FROM holds WHERE execution_id IN ${named(executions)})) AS accounts`;

const loadOnSqlite = `SELECT ${rowsNamed("?1", "?2")}`;

/** The sign of life, at a time that is not before the last rows; the numbers of these; and the rows named. */
const openOnSqlite = `INSERT INTO processes (owner, heartbeat_at, batch)
  VALUES (?1, max(CAST(?2 AS INTEGER), ${lastTime("usage_events")}, ${lastTime("ledger_entries")}), ?3) ${signed}
  RETURNING heartbeat_at AS now, ${lastNumber("usage_events")} AS usage_seq, ${lastNumber("ledger_entries")} AS ledger_seq,
  ${rowsNamed("?4", "?5")}`;

type Opened = Record<"now" | "usage_seq" | "ledger_seq", number> & RowsNamed;
type RowsNamed = Record<"holds" | "accounts", string>;

async function openSqlite(connection: Connection, batch: Batch): Promise<Opening> {
  // A `run` can change rows, so they are read after it.
  const named = batch.withRuns ? noNames : batch.named;
  const [opened] = await connection.all<Opened>(openOnSqlite, [
    batch.owner,
    batch.clockNow,
    batch.number,
    ...bindingsOf(named),
  ]);
  const { now, usage_seq: usageSeq, ledger_seq: ledgerSeq } = opened!;
  return {
    now,
    async load(names) {
      const rows = batch.withRuns
        ? (await connection.all<RowsNamed>(loadOnSqlite, bindingsOf(names)))[0]!
        : opened!;
      return {
        accounts: JSON.parse(rows.accounts) as AccountRow[],
        holds: JSON.parse(rows.holds) as Held[],
        usageSeq,
        ledgerSeq,
        now,
        maxRows: Infinity,
        lockedBy: () => null,
      };
    },
  };
}

const bindingsOf = ({ executions, accounts }: Names): string[] => [
  JSON.stringify(executions),
  JSON.stringify(accounts),
];

/** The increment of the sequences: a batch assigns the numbers in between. */
const numbersAtOnce = 4_096;

const databaseNow = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)";
/** The time of new rows, as an expression and its values. */
const timeOfRows = ({ clockNow, databaseTime }: Batch): { now: string; values: number[] } =>
  databaseTime
    ? {
        now: `CASE WHEN abs(${databaseNow} - ?) < ${leapMs} THEN ${databaseNow} ELSE CAST(? AS BIGINT) END`,
        values: [clockNow, clockNow],
      }
    : { now: "CAST(? AS BIGINT)", values: [clockNow] };

async function openPostgres(connection: Connection, batch: Batch): Promise<Opening> {
  if (batch.withRuns) await exclusively(connection, "run");
  const { now, values } = timeOfRows(batch);
  const [row] = await connection.all<{ opened: number }>(
    `INSERT INTO processes (owner, heartbeat_at, batch) VALUES (?, ${now}, ?) ${signed} RETURNING heartbeat_at AS opened`,
    [batch.owner, ...values, batch.number],
  );
  const { opened } = row!;
  return {
    now: opened,
    async load(names, locks) {
      const executions = [...new Set(names.executions)];
      const held = await holdsOf(connection, executions);
      const ids = accountIdsOf(names.accounts, held);
      const accounts = await lockAccounts(connection, ids, locks);
      const had = new Set(accounts.map(({ id }) => id));
      const holder = new Map(held.map((hold) => [hold.execution_id, hold.account_id]));
      const [next] = await connection.all<{ usage: number; ledger: number; now: number }>(
        `SELECT nextval('usage_numbers') AS usage, nextval('ledger_numbers') AS ledger, ${now} AS now`,
        values,
      );
      return {
        accounts,
        // Read again, since another process may have settled a hold before we locked its account.
        holds: await holdsOf(connection, executions),
        usageSeq: next!.usage,
        ledgerSeq: next!.ledger,
        now: accounts.reduce(
          (latest, account) => Math.max(latest, account.written_at),
          Math.max(next!.now, opened),
        ),
        maxRows: numbersAtOnce - 1,
        lockedBy(command) {
          if (locks !== "skip") return null;
          const touched = [...command.accounts, ...command.executions.flatMap((id) => holder.get(id) ?? [])];
          // A nonexistent account cannot be locked either; waiting for it separately will show that.
          return touched.find((id) => !had.has(id)) ?? null;
        },
      };
    },
  };
}

/** Locks accounts in the order of their ids, and returns the locked ones. */
async function lockAccounts(
  connection: Connection,
  ids: readonly string[],
  locks: Locks,
): Promise<(AccountRow & { written_at: number })[]> {
  if (ids.length === 0) return [];
  // NO KEY UPDATE suffices for our changes, and lets others add keys and claims to an account meanwhile.
  const sql = `SELECT * FROM accounts WHERE id IN (${marks(ids.length)}) ORDER BY id COLLATE "C" FOR NO KEY UPDATE`;
  if (typeof locks === "string") return connection.all(sql + (locks === "skip" ? " SKIP LOCKED" : ""), ids);
  await connection.all(`SET LOCAL lock_timeout = ${locks.withinMs}`);
  try {
    const accounts = await connection.all<AccountRow & { written_at: number }>(sql, ids);
    await connection.all("SET LOCAL lock_timeout = 0");
    return accounts;
  } catch (error) {
    if (isLockTimeout(error)) throw new Contended(ids[0]!);
    throw error;
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Interrupted && (error.cause as { code?: string } | undefined)?.code === "55P03";

/**
 * Whether the batch with that number was committed, asked over a new connection after its COMMIT failed for us. On
 * Postgres the old transaction may still be running: the query waits for it at the process's own row.
 */
export async function isCommitted(connection: Connection, owner: string, number: number): Promise<boolean> {
  const [row] =
    connection.dialect === "sqlite"
      ? await connection.all<{ batch: number }>("SELECT batch FROM processes WHERE owner = ?", [owner])
      : await connection.all<{ batch: number }>(
          `INSERT INTO processes (owner, heartbeat_at, batch) VALUES (?, ${databaseNow}, 0)
            ON CONFLICT (owner) DO UPDATE SET batch = processes.batch RETURNING batch`,
          [owner],
        );
  return row?.batch === number;
}

/** Refuses a batch with too many rows for its range of numbers; its commands are then tried one by one. */
export function assertNumbered(book: Book, { maxRows }: Loaded): void {
  if (book.events.length > maxRows || book.entries.length > maxRows) {
    throw new Error(`a batch of more than ${maxRows} rows cannot be numbered`);
  }
}
