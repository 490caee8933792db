import { Book, BookRefusal } from "../billing/book.ts";
import type { Clock, Random } from "../parts.ts";
import type { Logger } from "pino";
import { Contended, Interrupted, OutcomeUnknown, Unavailable } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { writeEffects } from "./effects.ts";
import { uuid } from "../ids.ts";
import { assertNumbered, isCommitted, openBatch } from "./opening.ts";
import type { Locks } from "./opening.ts";
import type { BookCommand, Transaction } from "./writer.ts";

/** One command that waits for its commit. */
export interface Waiting {
  book: BookCommand<unknown> | null;
  work: ((tx: Transaction) => Promise<unknown>) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One connection and the batches that are written over it, one after another. */
export interface Lane {
  /** Writes commands together, and settles each. Never rejects. */
  write(batch: readonly Waiting[]): Promise<void>;
  /** Ends the connection. Nothing is being written any more. */
  close(): Promise<void>;
}

/** What every lane of a writer has. */
export interface LaneParts {
  connect: () => Promise<Connection>;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Whether rows get the database's time instead of the clock's: on Postgres, where several processes write. */
  databaseTime?: boolean;
  /** Told how many commands each committed batch had. */
  onBatch?: (commands: number) => void;
}

type Outcome = { value: unknown } | { error: unknown } | { contended: string };

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

/**
 * @param parts.owner whose the holds are
 * @param parts.signer who the lane is in `processes`: by the number there it finds out whether a batch was committed
 * @param parts.locks what to do about an account that another transaction has locked
 * @param parts.contended takes over the commands of such an account
 */
export function createLane(
  parts: LaneParts & {
    owner: string;
    signer: string;
    locks: Locks;
    contended: (account: string, commands: readonly Waiting[]) => void;
  },
  first: Connection | null,
): Lane {
  const {
    connect,
    clock,
    random,
    log,
    databaseTime = false,
    onBatch,
    owner,
    signer,
    locks,
    contended,
  } = parts;
  let connection = first;
  let batchNumber = 0;

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    const outcomes = await commitPatiently(batch);
    if (outcomes === null) return;
    const later = new Map<string, Waiting[]>();
    batch.forEach((command, index) => {
      const outcome = outcomes[index]!;
      if ("value" in outcome) command.resolve(outcome.value);
      else if ("error" in outcome) command.reject(outcome.error);
      else later.set(outcome.contended, [...(later.get(outcome.contended) ?? []), command]);
    });
    const written = outcomes.filter((outcome) => !("contended" in outcome)).length;
    if (written > 0) onBatch?.(written);
    for (const [account, commands] of later) contended(account, commands);
  };

  /** Answers one outcome a command after COMMIT; null when the commands were told otherwise what became of them. */
  const commitPatiently = async (batch: readonly Waiting[]): Promise<Outcome[] | null> => {
    const mayWait = patience(retryWithinMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await commitBatch(batch);
      } catch (error) {
        if (error instanceof Contended) return batch.map(() => ({ contended: error.account }));
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
        for (const command of batch) await write([command]);
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
    if (outcomes.every((outcome) => "contended" in outcome)) {
      await current.rollback().catch(() => discard(current));
      return outcomes;
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
        return await isCommitted(connection, signer, number);
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
      owner: signer,
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
      // What a `run` has begun cannot be put off.
      attached.length > 0 ? "wait" : locks,
    );
    const newId = (): string => uuid(loaded.now, random);
    const book = new Book({ ...loaded, owner, newId });
    for (const command of attached) command.apply(book);
    for (const [index, command] of batch.entries()) {
      if (command.book === null) continue;
      const taken = loaded.lockedBy(command.book);
      outcomes[index] = taken === null ? applyCommand(book, command.book) : { contended: taken };
    }
    assertNumbered(book, loaded);
    await writeEffects(current, book, { now: loaded.now, owner: signer });
    return outcomes;
  };

  return {
    write,
    async close() {
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
