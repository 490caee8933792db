import { Book, BookRefusal } from "../billing/book.ts";
import type { Clock, Random } from "../parts.ts";
import type { Logger } from "pino";
import { Contended, Interrupted, OutcomeUnknown, Unavailable } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { writeEffects } from "./effects.ts";
import { uuid } from "../ids.ts";
import { assertNumbered, isCommitted, openBatch } from "./opening.ts";
import type { Locks, Names } from "./opening.ts";
import type { BookCommand, Transaction } from "./command.ts";

/** A command that waits for its commit. */
export interface Waiting {
  book: BookCommand<unknown> | null;
  work: ((tx: Transaction) => Promise<unknown>) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The dependencies shared by all lanes of a writer. */
export interface LaneParts {
  connect: () => Promise<Connection>;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Whether rows get the database's time rather than the clock's: on Postgres, where several processes write. */
  databaseTime?: boolean;
  /** Called with the number of commands of each committed batch. */
  onBatch?: (commands: number) => void;
}

type Outcome = { value: unknown } | { error: unknown } | { contended: string };

/**
 * How often a batch is tried when other processes or a lost connection interrupt it, and the first pause in between.
 */
const maxAttempts = 4;
const firstPauseMs = 20;

/** The time limit for retries in ms; then callers learn that the database does not answer. */
const retryWithinMs = 5_000;

/** How long the writer asks whether a COMMIT took effect, and the longest pause between two questions, in ms. */
const resolveWithinMs = 15_000;
const longestPauseMs = 500;

/** Growing pauses until a time limit; then resolves to false. */
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

/** The options in which lanes differ. */
interface LaneOptions extends LaneParts {
  /** The owner of the holds. */
  owner: string;
  /** The lane's name in `processes`: the number there shows whether a batch was committed. */
  signer: string;
  /** What to do about an account locked by another transaction. */
  locks: Locks;
  /** Takes over the commands of such an account. */
  contended: (account: string, commands: readonly Waiting[]) => void;
}

/** One connection, and the batches that are written over it in sequence. */
export class Lane {
  /** Why the database took no commit when it was last asked for one; null once it took one. */
  failure: Unavailable | null = null;
  readonly #options: LaneOptions;
  #connection: Connection | null;
  #batchNumber = 0;

  /** @param first an existing connection, if any; an unused lane never connects */
  constructor(options: LaneOptions, first: Connection | null) {
    this.#options = options;
    this.#connection = first;
  }

  /** Writes commands together and settles each. Never rejects. */
  async write(batch: readonly Waiting[]): Promise<void> {
    const outcomes = await this.#commitPatiently(batch);
    if (outcomes === null) return;
    const later = new Map<string, Waiting[]>();
    batch.forEach((command, index) => {
      const outcome = outcomes[index]!;
      if ("value" in outcome) command.resolve(outcome.value);
      else if ("error" in outcome) command.reject(outcome.error);
      else later.set(outcome.contended, [...(later.get(outcome.contended) ?? []), command]);
    });
    const written = outcomes.filter((outcome) => !("contended" in outcome)).length;
    if (written > 0) this.#options.onBatch?.(written);
    for (const [account, commands] of later) this.#options.contended(account, commands);
  }

  /** Closes the connection after the last write has ended. */
  async close(): Promise<void> {
    const last = this.#connection;
    this.#connection = null;
    await last?.destroy();
  }

  /** Returns one outcome per command after COMMIT; null if the commands were settled otherwise. */
  async #commitPatiently(batch: readonly Waiting[]): Promise<Outcome[] | null> {
    const { log } = this.#options;
    const mayWait = patience(retryWithinMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#commitBatch(batch);
      } catch (error) {
        if (error instanceof Contended) return batch.map(() => ({ contended: error.account }));
        const cause = error instanceof Unreachable ? error.cause : error;
        if (cause instanceof Unavailable) this.failure = cause;
        if (cause instanceof Interrupted && attempt < maxAttempts && (await mayWait())) {
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
        for (const command of batch) await this.write([command]);
        return null;
      }
    }
  }

  /** Returns one outcome per command after COMMIT; throws if the whole batch was undone. */
  async #commitBatch(batch: readonly Waiting[]): Promise<Outcome[]> {
    const current = await this.#begin();
    const number = ++this.#batchNumber;
    let outcomes: Outcome[];
    try {
      outcomes = await this.#applyBatch(current, batch, number);
    } catch (error) {
      // Waiting on a lost connection would take another timeout.
      if (error instanceof Interrupted) await this.#discard(current);
      else await current.rollback().catch(() => this.#discard(current));
      throw error;
    }
    if (outcomes.every((outcome) => "contended" in outcome)) {
      await current.rollback().catch(() => this.#discard(current));
      return outcomes;
    }
    try {
      await current.commit();
    } catch (error) {
      await this.#discard(current);
      this.#options.log.error({ err: error }, "a COMMIT failed; its connection was destroyed");
      if (!(await this.#wasCommitted(number, error))) throw error;
    }
    this.failure = null;
    return outcomes;
  }

  async #begin(): Promise<Connection> {
    try {
      this.#connection ??= await this.#options.connect();
      await this.#connection.begin();
      return this.#connection;
    } catch (cause) {
      if (this.#connection !== null) await this.#discard(this.#connection);
      throw new Unreachable("no transaction could be begun", { cause });
    }
  }

  async #discard(broken: Connection): Promise<void> {
    if (this.#connection === broken) this.#connection = null;
    await broken.destroy();
  }

  /**
   * A COMMIT can fail for us and still be durable; the batch's own number shows which. Until that is known, the batch
   * must not be retried, since it could take effect twice.
   * @throws OutcomeUnknown if the database could not be asked
   */
  async #wasCommitted(number: number, failure: unknown): Promise<boolean> {
    const { connect, signer, log } = this.#options;
    const mayWait = patience(resolveWithinMs);
    for (;;) {
      try {
        this.#connection ??= await connect();
        return await isCommitted(this.#connection, signer, number);
      } catch (cause) {
        if (this.#connection !== null) await this.#discard(this.#connection);
        if (cause instanceof Unavailable) {
          this.failure = cause;
          if (await mayWait()) continue;
        }
        log.error({ err: cause }, "the database could not be asked whether a batch was committed");
        throw new OutcomeUnknown("whether the write took effect is not known", { cause: failure });
      }
    }
  }

  async #applyBatch(current: Connection, batch: readonly Waiting[], number: number): Promise<Outcome[]> {
    const { databaseTime = false, clock, random, owner, signer, locks } = this.#options;
    const own = batch.flatMap(({ book }) => (book === null ? [] : [book]));
    const opening = await openBatch(current, {
      owner: signer,
      number,
      clockNow: clock.now(),
      databaseTime,
      withRuns: batch.some(({ work }) => work !== null),
      named: namedBy(own),
    });
    const outcomes = new Array<Outcome>(batch.length);
    const attached: BookCommand<unknown>[] = [];
    for (const [index, { work }] of batch.entries()) {
      if (work === null) continue;
      const result = await runWork(current, work, opening.now);
      outcomes[index] = result.outcome;
      attached.push(...result.attached);
    }
    const commands = [...attached, ...own];
    if (commands.length === 0) return outcomes;
    // A `run` that has begun cannot be postponed.
    const loaded = await opening.load(namedBy(commands), attached.length > 0 ? "wait" : locks);
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
  }
}

const namedBy = (commands: readonly Names[]): Names => ({
  accounts: commands.flatMap(({ accounts }) => accounts),
  executions: commands.flatMap(({ executions }) => executions),
});

/** The transaction could not begin, so trying the commands one by one would only repeat the failure. */
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

/** A refusal changes nothing and affects only its command; any other error undoes the batch. */
function applyCommand(book: Book, command: BookCommand<unknown>): Outcome {
  try {
    return { value: command.apply(book) };
  } catch (error) {
    if (error instanceof BookRefusal) return { error };
    throw error;
  }
}
