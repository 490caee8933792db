import type { Book } from "../billing/book.ts";
import { alone, Contended, Interrupted } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { AccountRow, HoldRow } from "../records.ts";

/*
 * How a batch begins, so that several processes on one Postgres write as one:
 *
 * - A batch with a `run` in it is alone among such batches (an advisory lock), so that what a `run` reads, nobody
 *   changes before COMMIT: claims, keys and accounts are written by `run`s only.
 * - The accounts of money commands are locked in the order of their ids; one that another process has locked is gone on
 *   without, and its commands wait for it apart (storage/writer.ts), so that a hot account does not stall the others.
 *   Only then are balances and holds read, and only then the time and the numbers of the new rows are taken: from the
 *   database's clock, but not before the last row of any of these accounts (`accounts.written_at`), and from sequences.
 *   So within one account `created_at` and `seq` grow in the order of commits: a feed, which is read newest first from a
 *   position on, neither repeats a row nor skips one, whichever processes wrote them and whatever their clocks say.
 *
 * On SQLite the write lock gives all of this; numbers and time go on from the last rows.
 */

/** What a batch's money commands start from. */
export interface Loaded {
  accounts: AccountRow[];
  holds: HoldRow[];
  /** The last numbers given out. */
  usageSeq: number;
  ledgerSeq: number;
  /** Epoch ms: the time of the rows; not before anything written of these accounts. */
  now: number;
  /** How many rows of either kind may follow the last numbers. */
  mostRows: number;
  /** The account of a command that was gone on without; null when the command can be applied. */
  lockedBy(command: { accounts: readonly string[]; executions: readonly string[] }): string | null;
}

/**
 * What to do about an account that another transaction has locked: wait for it, go on without it, or wait so long.
 * On SQLite nobody else can have it.
 */
export type Locks = "wait" | "skip" | { withinMs: number };

export interface Opening {
  /** Epoch ms. */
  now: number;
  /**
   * The rows that the batch's commands touch, in their last state; nobody changes them before COMMIT.
   * @throws Contended when an account was not to be had in time
   */
  load(accountIds: readonly string[], executionIds: readonly string[], locks: Locks): Promise<Loaded>;
}

/**
 * Begins the work of a batch, and gives the process's sign of life.
 * @param clockNow epoch ms; null to go by the database's clock (on Postgres only).
 * @param withRuns whether the batch has a `run`.
 */
export function openBatch(
  connection: Connection,
  batch: { owner: string; number: number; clockNow: number | null; withRuns: boolean },
): Promise<Opening> {
  return connection.dialect === "sqlite" ? openSqlite(connection, batch) : openPostgres(connection, batch);
}

type Batch = Parameters<typeof openBatch>[1];

const sign = `INSERT INTO processes (owner, heartbeat_at, batch) VALUES (?, ?, ?)
  ON CONFLICT (owner) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, batch = excluded.batch`;

const marks = (count: number): string => new Array(count).fill("?").join(", ");

const holdsOf = async (connection: Connection, executionIds: readonly string[]): Promise<HoldRow[]> =>
  executionIds.length === 0
    ? []
    : connection.all<HoldRow>(
        `SELECT * FROM holds WHERE execution_id IN (${marks(executionIds.length)})`,
        executionIds,
      );

/** Sorted, which is the order of the locks. */
const accountIdsOf = (ids: readonly string[], holds: readonly HoldRow[]): string[] =>
  [...new Set([...ids, ...holds.map((hold) => hold.account_id)])].sort();

async function openSqlite(connection: Connection, batch: Batch): Promise<Opening> {
  const [last] = await connection.all<Record<"usage_seq" | "usage_at" | "ledger_seq" | "ledger_at", number>>(
    `SELECT coalesce(max(u.seq), 0) AS usage_seq, coalesce(max(u.created_at), 0) AS usage_at,
        coalesce(max(l.seq), 0) AS ledger_seq, coalesce(max(l.created_at), 0) AS ledger_at
      FROM (SELECT 1 AS one) AS single
        LEFT JOIN usage_events u ON u.seq = (SELECT max(seq) FROM usage_events)
        LEFT JOIN ledger_entries l ON l.seq = (SELECT max(seq) FROM ledger_entries)`,
  );
  const { usage_seq, usage_at, ledger_seq, ledger_at } = last!;
  const now = Math.max(batch.clockNow ?? 0, usage_at, ledger_at);
  await connection.all(sign, [batch.owner, now, batch.number]);
  return {
    now,
    async load(accountIds, executionIds) {
      const holds = await holdsOf(connection, [...new Set(executionIds)]);
      const ids = accountIdsOf(accountIds, holds);
      const accounts =
        ids.length === 0
          ? []
          : await connection.all<AccountRow>(
              `SELECT * FROM accounts WHERE id IN (${marks(ids.length)})`,
              ids,
            );
      return {
        accounts,
        holds,
        usageSeq: usage_seq,
        ledgerSeq: ledger_seq,
        now,
        mostRows: Infinity,
        lockedBy: () => null,
      };
    },
  };
}

/** How far apart the values of the sequences lie: a batch numbers its rows in between. */
const numbersAtOnce = 4_096;

const databaseNow = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)";

async function openPostgres(connection: Connection, batch: Batch): Promise<Opening> {
  if (batch.withRuns) await alone(connection, "run");
  const { clockNow, owner, number } = batch;
  const [signed] = await connection.all<{ heartbeat_at: number }>(
    `${sign.replace("(?, ?, ?)", `(?, coalesce(CAST(? AS BIGINT), ${databaseNow}), ?)`)} RETURNING heartbeat_at`,
    [owner, clockNow, number],
  );
  const opened = signed!.heartbeat_at;
  return {
    now: opened,
    async load(accountIds, executionIds, locks) {
      const executions = [...new Set(executionIds)];
      const held = await holdsOf(connection, executions);
      const ids = accountIdsOf(accountIds, held);
      const accounts = await lockAccounts(connection, ids, locks);
      const had = new Set(accounts.map(({ id }) => id));
      const holder = new Map(held.map((hold) => [hold.execution_id, hold.account_id]));
      const [next] = await connection.all<{ usage: number; ledger: number; now: number }>(
        `SELECT nextval('usage_numbers') AS usage, nextval('ledger_numbers') AS ledger,
          coalesce(CAST(? AS BIGINT), ${databaseNow}) AS now`,
        [clockNow],
      );
      return {
        accounts,
        // Read again: a hold can have been settled by another process until its account was ours.
        holds: await holdsOf(connection, executions),
        usageSeq: next!.usage,
        ledgerSeq: next!.ledger,
        now: accounts.reduce(
          (latest, account) => Math.max(latest, account.written_at),
          Math.max(next!.now, opened),
        ),
        mostRows: numbersAtOnce - 1,
        lockedBy(command) {
          if (locks !== "skip") return null;
          const touched = [...command.accounts, ...command.executions.flatMap((id) => holder.get(id) ?? [])];
          // One that does not exist is not had either; who waits for it alone finds that out.
          return touched.find((id) => !had.has(id)) ?? null;
        },
      };
    },
  };
}

/** Locks accounts in the order of their ids, and answers those that were to be had. */
async function lockAccounts(
  connection: Connection,
  ids: readonly string[],
  locks: Locks,
): Promise<(AccountRow & { written_at: number })[]> {
  if (ids.length === 0) return [];
  // NO KEY UPDATE: what our own changes need, and it lets others add keys and claims to an account meanwhile.
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
 * Whether the batch of that number was committed, asked over a new connection after its COMMIT failed towards us. On
 * Postgres the old transaction may still be at work: the question waits for it at the process's own row.
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

/** Refuses a batch whose rows would take the numbers of another; its commands are then tried one by one. */
export function assertNumbered(book: Book, { mostRows }: Loaded): void {
  if (book.events.length > mostRows || book.entries.length > mostRows) {
    throw new Error(`a batch of more than ${mostRows} rows cannot be numbered`);
  }
}
