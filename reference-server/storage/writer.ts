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
import { createLane, type LaneParts, type Waiting } from "./lane.ts";

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
  const lane = createLane(
    { ...parts, owner, signer: owner, locks: "skip", contended: putOff },
    await connect(),
  );
  /** For the accounts that others have locked; a lane that is never used never connects. */
  const slowLane = createLane(
    {
      ...parts,
      owner,
      signer: uuid(clock.now(), random),
      locks: { withinMs: lockMs },
      contended(account, commands) {
        turns.set(account, (turns.get(account) ?? 0) + 1);
        putOff(account, commands);
      },
    },
    null,
  );
  let queue: Waiting[] = [];
  let draining: Promise<void> | null = null;
  let closed = false;

  const enqueue = <T>(command: Pick<Waiting, "book" | "work">): Promise<T> => {
    if (closed) return Promise.reject(new Error("the storage is closed: nothing more is written"));
    return new Promise<T>((resolve, reject) => {
      const waiting = { ...command, resolve: resolve as (value: unknown) => void, reject };
      // Who asks for an account that is being waited for waits with the others.
      const taken = command.book?.accounts.find((account) => account === awaited || contended.has(account));
      if (taken !== undefined) return putOff(taken, [waiting]);
      queue.push(waiting);
      draining ??= drain();
    });
  };

  const drain = async (): Promise<void> => {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      await lane.write(batch);
    }
    draining = null;
  };

  /** By account, in the order of their turns: commands that wait for its lock. */
  const contended = new Map<string, Waiting[]>();
  /** By account: turns in a row in which it was not to be had. */
  const turns = new Map<string, number>();
  /** The account whose turn it is. */
  let awaited: string | null = null;
  let slowlyDraining: Promise<void> | null = null;

  function putOff(account: string, commands: readonly Waiting[]): void {
    contended.set(account, [...(contended.get(account) ?? []), ...commands]);
    slowlyDraining ??= drainSlowly();
  }

  const drainSlowly = async (): Promise<void> => {
    for (const [account, commands] of contended) {
      contended.delete(account);
      const before = turns.get(account) ?? 0;
      if (before === mostTurns) {
        turns.delete(account);
        const late = new Unavailable(`account ${account} has been locked for too long`);
        for (const command of commands) command.reject(late);
        continue;
      }
      const batch = commands.slice(0, largestBatch);
      if (batch.length < commands.length) contended.set(account, commands.slice(largestBatch));
      awaited = account;
      await slowLane.write(batch);
      awaited = null;
      if (turns.get(account) === before) turns.delete(account);
    }
    slowlyDraining = null;
  };

  return {
    owner,
    book: (command) => enqueue({ book: command, work: null }),
    run: (work) => enqueue({ book: null, work }),
    async close() {
      closed = true;
      await draining;
      await slowlyDraining;
      await lane.close();
      await slowLane.close();
    },
  };
}
