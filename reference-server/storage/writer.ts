/*
 * The one writer. Everything that is written goes through its queue; whatever waits becomes one batch, one durable
 * transaction, and is acknowledged only after COMMIT. Two doors:
 *
 * - `writer.book({ accounts, executions, apply })` for money and audit: `apply` is a pure function over the batch's
 *   Book (billing/book.ts), into which the named accounts, and the holds of the named executions, were loaded.
 *   A refusal is thrown before anything changes and rejects that command alone.
 * - `writer.run(async (tx) => …)` for conditional writes of any other kind (accounts, keys, claims): reads and writes
 *   through `tx.all` see one consistent state that nobody else can change before COMMIT. What it throws undoes its own
 *   statements and rejects it alone. `tx.now` is the time to write. `tx.book(…)` adds a money command to the same
 *   commit (a welcome bonus beside a new account); it is applied after all `run`s of the batch.
 *
 * Rules for `run`: no effects outside `tx`, since it can be run twice (a batch that fails is undone and its commands
 * are tried one by one, so that a failure isolates the command that caused it); no waiting for anything but `tx`, since
 * everybody waits meanwhile; never catch an error of `tx.all` and go on; do not touch accounts' amounts, holds, ledger
 * or events except through `tx.book`. Several processes can write to one Postgres: storage/opening.ts says how. Two commands that were submitted without awaiting one another have no order.
 */
import { Book, BookRefusal } from "../billing/book.ts";
import type { Clock, Random } from "../parts.ts";
import type { Logger } from "pino";
import { Interrupted, OutcomeUnknown, Unavailable } from "./connection.ts";
import type { Binding, Connection } from "./connection.ts";
import { writeEffects } from "./effects.ts";
import { uuid } from "./ids.ts";
import { assertNumbered, isCommitted, openBatch } from "./opening.ts";

/** A money command: what has to be loaded for it, and what it does. */
export interface BookCommand<T> {
  accounts: readonly string[];
  executions: readonly string[];
  apply(book: Book): T;
}

/** What a `run` sees of its batch. */
export interface Transaction {
  /** Epoch ms to be written as this commit's time. */
  readonly now: number;
  /** Any statement, with `?` for bindings. Answers its rows (also those of RETURNING). */
  all<Row>(sql: string, bindings?: readonly Binding[]): Promise<Row[]>;
  /** Adds a money command to the same commit. If it is refused, all of this `run` is undone and rejects. */
  book<T>(command: BookCommand<T>): void;
}

export interface Writer {
  /** Who this process is in `holds.owner` and `processes.owner`. */
  readonly owner: string;
  book<T>(command: BookCommand<T>): Promise<T>;
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Commits what waits, then refuses more, and ends its connection. */
  close(): Promise<void>;
}

interface Waiting {
  book: BookCommand<unknown> | null;
  work: ((tx: Transaction) => Promise<unknown>) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { value: unknown } | { error: unknown };

/** Bounds the time that one batch keeps everybody waiting, and the bindings of its statements. */
const largestBatch = 512;

/** How often a batch is tried that other processes or a lost connection interrupt, and the first pause in between. */
const mostAttempts = 4;
const firstPauseMs = 20;

/** After so long nothing is tried again: who waits is told that the database does not answer. In ms. */
const retryWithinMs = 5_000;

/** How long it is asked whether a COMMIT took effect, and how long between two questions at most, in ms. */
const resolveWithinMs = 15_000;
const longestPauseMs = 500;

/** Pauses that grow, until a time is up; then answers false. */
function patience(withinMs: number): () => Promise<boolean> {
  let over = false;
  setTimeout(() => (over = true), withinMs).unref();
  let pauses = 0;
  return async () => {
    if (over) return false;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(firstPauseMs * 4 ** pauses++, longestPauseMs)),
    );
    return !over;
  };
}

export async function createWriter(parts: {
  connect: () => Promise<Connection>;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Whether rows get the database's time instead of the clock's: on Postgres, where several processes write. */
  databaseTime?: boolean;
  /** Told how many commands each committed batch had. */
  onBatch?: (commands: number) => void;
}): Promise<Writer> {
  const { connect, clock, random, log, databaseTime = false, onBatch } = parts;
  const owner = uuid(clock.now(), random);
  let connection: Connection | null = await connect();
  let queue: Waiting[] = [];
  let draining: Promise<void> | null = null;
  let closed = false;
  let batchNumber = 0;

  const enqueue = <T>(command: Pick<Waiting, "book" | "work">): Promise<T> => {
    if (closed) return Promise.reject(new Error("the storage is closed: nothing more is written"));
    return new Promise<T>((resolve, reject) => {
      queue.push({ ...command, resolve: resolve as (value: unknown) => void, reject });
      draining ??= drain();
    });
  };

  const drain = async (): Promise<void> => {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      await settleBatch(batch);
    }
    draining = null;
  };

  const settleBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const outcomes = await commitPatiently(batch);
    if (outcomes === null) return;
    onBatch?.(batch.length);
    batch.forEach((command, index) => {
      const outcome = outcomes[index]!;
      if ("value" in outcome) command.resolve(outcome.value);
      else command.reject(outcome.error);
    });
  };

  /** Answers one outcome a command after COMMIT; null when the commands were told otherwise what became of them. */
  const commitPatiently = async (batch: readonly Waiting[]): Promise<Outcome[] | null> => {
    const mayWait = patience(retryWithinMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await commitBatch(batch);
      } catch (error) {
        const cause = error instanceof Unreachable ? error.cause : error;
        if (cause instanceof Interrupted && attempt < mostAttempts && (await mayWait())) {
          log.warn({ err: cause, attempt }, "a batch was interrupted; it is tried again");
          continue;
        }
        const concernsAll =
          error instanceof Unreachable || cause instanceof Interrupted || cause instanceof OutcomeUnknown;
        if (batch.length === 1 || concernsAll) {
          for (const command of batch) command.reject(cause);
          return null;
        }
        log.warn({ err: error, commands: batch.length }, "a batch failed; its commands are tried one by one");
        for (const command of batch) await settleBatch([command]);
        return null;
      }
    }
  };

  /** Answers one outcome a command after COMMIT; throws when the whole batch was undone. */
  const commitBatch = async (batch: readonly Waiting[]): Promise<Outcome[]> => {
    const current = await begin();
    const number = ++batchNumber;
    let outcomes: Outcome[];
    try {
      outcomes = await applyBatch(current, batch, number);
    } catch (error) {
      // One that was lost would be waited for once more.
      if (error instanceof Interrupted) await discard(current);
      else await current.rollback().catch(() => discard(current));
      throw error;
    }
    try {
      await current.commit();
    } catch (error) {
      await discard(current);
      log.error({ err: error }, "a COMMIT failed; its connection was destroyed");
      if (!(await wasCommitted(number, error))) throw error;
    }
    return outcomes;
  };

  const begin = async (): Promise<Connection> => {
    try {
      connection ??= await connect();
      await connection.begin();
      return connection;
    } catch (cause) {
      if (connection !== null) await discard(connection);
      throw new Unreachable("no transaction could be begun", { cause });
    }
  };

  const discard = async (broken: Connection): Promise<void> => {
    if (connection === broken) connection = null;
    await broken.destroy();
  };

  /**
   * A COMMIT can fail towards us and yet be durable: the batch's own number tells. Until that is known the batch must not
   * be tried again, since it could then be there twice.
   * @throws OutcomeUnknown when the database could not be asked
   */
  const wasCommitted = async (number: number, failure: unknown): Promise<boolean> => {
    const mayWait = patience(resolveWithinMs);
    for (;;) {
      try {
        connection ??= await connect();
        return await isCommitted(connection, owner, number);
      } catch (cause) {
        if (connection !== null) await discard(connection);
        if (cause instanceof Unavailable && (await mayWait())) continue;
        log.error({ err: cause }, "whether a batch was committed could not be asked");
        throw new OutcomeUnknown("whether the write took effect is not known", { cause: failure });
      }
    }
  };

  const applyBatch = async (
    current: Connection,
    batch: readonly Waiting[],
    number: number,
  ): Promise<Outcome[]> => {
    const opening = await openBatch(current, {
      owner,
      number,
      clockNow: databaseTime ? null : clock.now(),
      withRuns: batch.some(({ work }) => work !== null),
    });
    const outcomes = new Array<Outcome>(batch.length);
    const attached: BookCommand<unknown>[] = [];
    for (const [index, { work }] of batch.entries()) {
      if (work === null) continue;
      const result = await runWork(current, work, opening.now);
      outcomes[index] = result.outcome;
      attached.push(...result.attached);
    }
    const commands = [...attached, ...batch.flatMap(({ book }) => (book === null ? [] : [book]))];
    if (commands.length === 0) return outcomes;
    const loaded = await opening.load(
      commands.flatMap((command) => command.accounts),
      commands.flatMap((command) => command.executions),
    );
    const newId = (): string => uuid(loaded.now, random);
    const book = new Book({ ...loaded, owner, newId });
    for (const command of attached) command.apply(book);
    for (const [index, command] of batch.entries()) {
      if (command.book !== null) outcomes[index] = applyCommand(book, command.book);
    }
    assertNumbered(book, loaded);
    await writeEffects(current, book, { now: loaded.now, owner });
    return outcomes;
  };

  return {
    owner,
    book: (command) => enqueue({ book: command, work: null }),
    run: (work) => enqueue({ book: null, work }),
    async close() {
      closed = true;
      await draining;
      const last = connection;
      connection = null;
      await last?.destroy();
    },
  };
}

/** Nothing could be begun: trying the commands one by one would only repeat it. */
class Unreachable extends Error {
  override name = "Unreachable";
}

async function runWork(
  connection: Connection,
  work: (tx: Transaction) => Promise<unknown>,
  now: number,
): Promise<{ outcome: Outcome; attached: BookCommand<unknown>[] }> {
  const attached: BookCommand<unknown>[] = [];
  await connection.all("SAVEPOINT one_run");
  try {
    const value = await work({
      now,
      all: (sql, bindings) => connection.all(sql, bindings),
      book: (command) => void attached.push(command),
    });
    await connection.all("RELEASE one_run");
    return { outcome: { value }, attached };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    await connection.all("ROLLBACK TO one_run");
    await connection.all("RELEASE one_run");
    return { outcome: { error }, attached: [] };
  }
}

/** A refusal changes nothing and concerns its command alone; any other error undoes the batch. */
function applyCommand(book: Book, command: BookCommand<unknown>): Outcome {
  try {
    return { value: command.apply(book) };
  } catch (error) {
    if (error instanceof BookRefusal) return { error };
    throw error;
  }
}
