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
 * or events except through `tx.book`. Two commands that were submitted without awaiting one another have no order.
 *
 * Several processes can write to one Postgres: storage/opening.ts says how. A money command whose account another of them
 * has locked leaves its batch, and waits for the account in a lane of its own, so that the others need not.
 */
import type { Book } from "../billing/book.ts";
import { Unavailable, type Binding } from "./connection.ts";
import { uuid } from "../ids.ts";
import { Lane, type LaneParts, type Waiting } from "./lane.ts";

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

/** Bounds the time that one batch keeps everybody waiting, and the bindings of its statements. */
const largestBatch = 512;

/** How long the commands of an account wait for its lock before those of the next one have their turn, in ms. */
const lockMs = 250;

/** How often they have their turn before they are told that the account cannot be written at present. */
const mostTurns = 40;

export async function createWriter(parts: LaneParts): Promise<Writer> {
  const { connect, clock, random } = parts;
  const owner = uuid(clock.now(), random);
  const turns = new Turns(
    (contended) =>
      new Lane(
        { ...parts, owner, signer: uuid(clock.now(), random), locks: { withinMs: lockMs }, contended },
        null,
      ),
  );
  const contended = turns.putOff.bind(turns);
  const lane = new Lane({ ...parts, owner, signer: owner, locks: "skip", contended }, await connect());
  let queue: Waiting[] = [];
  let draining: Promise<void> | null = null;
  let closed = false;

  const drain = async (): Promise<void> => {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      await lane.write(batch);
    }
    draining = null;
  };

  const enqueue = <T>(command: Pick<Waiting, "book" | "work">): Promise<T> => {
    if (closed) return Promise.reject(new Error("the storage is closed: nothing more is written"));
    return new Promise<T>((resolve, reject) => {
      const waiting = { ...command, resolve: resolve as (value: unknown) => void, reject };
      // A command for an account that others wait for waits with them.
      const taken = command.book?.accounts.find((account) => turns.isWaitedFor(account));
      if (taken !== undefined) return turns.putOff(taken, [waiting]);
      queue.push(waiting);
      draining ??= drain();
    });
  };

  return {
    owner,
    book: (command) => enqueue({ book: command, work: null }),
    run: (work) => enqueue({ book: null, work }),
    async close() {
      closed = true;
      await draining;
      await turns.close();
      await lane.close();
    },
  };
}

/** The commands of accounts that other processes have locked: each account has its turn, in a lane of its own. */
class Turns {
  readonly #lane: Lane;
  /** By account, in the order of their turns: commands that wait for its lock. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** By account: turns in a row in which its lock was not to be had. */
  readonly #missed = new Map<string, number>();
  /** The account whose turn it is. */
  #current: string | null = null;
  #draining: Promise<void> | null = null;

  constructor(createLane: (contended: (account: string, commands: readonly Waiting[]) => void) => Lane) {
    this.#lane = createLane((account, commands) => {
      this.#missed.set(account, (this.#missed.get(account) ?? 0) + 1);
      this.putOff(account, commands);
    });
  }

  isWaitedFor(account: string): boolean {
    return account === this.#current || this.#waiting.has(account);
  }

  putOff(account: string, commands: readonly Waiting[]): void {
    this.#waiting.set(account, [...(this.#waiting.get(account) ?? []), ...commands]);
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    for (const [account, commands] of this.#waiting) {
      this.#waiting.delete(account);
      const before = this.#missed.get(account) ?? 0;
      if (before === mostTurns) {
        this.#missed.delete(account);
        const late = new Unavailable(`account ${account} has been locked for too long`);
        for (const command of commands) command.reject(late);
        continue;
      }
      const batch = commands.slice(0, largestBatch);
      if (batch.length < commands.length) this.#waiting.set(account, commands.slice(largestBatch));
      this.#current = account;
      await this.#lane.write(batch);
      this.#current = null;
      if (this.#missed.get(account) === before) this.#missed.delete(account);
    }
    this.#draining = null;
  }

  async close(): Promise<void> {
    await this.#draining;
    await this.#lane.close();
  }
}
