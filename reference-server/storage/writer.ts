/*
 * The single writer. Everything that is written goes through its queue; waiting commands form one batch, which is one
 * durable transaction, and are acknowledged only after COMMIT. There are two kinds of command:
 *
 * - `writer.book({ accounts, executions, apply })` for money and audit: `apply` is a pure function on the batch's Book
 *   (billing/book.ts), into which the named accounts, and the holds of the named executions, were loaded. A refusal is
 *   thrown before anything changes, and rejects only its command.
 * - `writer.run(async (tx) => …)` for conditional writes of any other kind (accounts, keys, claims): reads and writes
 *   through `tx.all` see one consistent state that no other can change before COMMIT. An error that it throws undoes
 *   its own statements and rejects only this command. `tx.now` is the time to write. `tx.book(…)` adds a money command
 *   to the same commit (a welcome bonus for a new account), applied after all `run`s of the batch.
 *
 * Rules for `run`: no effects outside `tx`, since it can run twice (a batch that fails is undone and its commands are
 * tried one by one, to isolate the one that caused the failure). Never wait for anything but `tx`, since all other
 * commands wait meanwhile. Never continue after an error of `tx.all`. Do not touch accounts' amounts, holds, ledger or
 * events except through `tx.book`. Two commands submitted without awaiting the first have no order.
 *
 * Several processes can write to one Postgres: see storage/opening.ts. A money command whose account another process
 * has locked leaves its batch and waits for the account in a lane of its own; the others do not wait.
 */
import type { BookCommand, Transaction } from "./command.ts";
import { Unavailable } from "./connection.ts";
import { uuid } from "../ids.ts";
import { Lane, type LaneParts, type Waiting } from "./lane.ts";

export type { BookCommand, Transaction };

export interface Writer {
  /** The name of this process in `holds.owner` and `processes.owner`. */
  readonly owner: string;
  book<T>(command: BookCommand<T>): Promise<T>;
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Requires that the last commit came through, and that none has been under way for long. A server writes every second,
   * so this is its present state.
   * @throws Unavailable with the reason
   */
  requireWriting(): void;
  /** Commits waiting commands, then refuses new ones and closes the connection. */
  close(): Promise<void>;
}

/** Limits how long one batch blocks others, and the bindings of its statements. */
const largestBatch = 512;

/**
 * After a batch of this many commands, the next one grows while turns of the event loop add commands: a commit costs
 * much the same whatever its size. A single command does not wait.
 */
const crowd = 8;
/** This many turns without a further command end the wait; so does its time limit in ms. */
const quietTurns = 10;
const gatheringMs = 10;

/** How long the commands of an account wait for its lock before the next account has its turn, in ms. */
const lockMs = 250;

/** How long a batch may take in ms before the database counts as one that cannot be written. */
const longestBatchMs = 5_000;

/** The number of turns after which they are rejected, since the account cannot be written at present. */
const maxTurns = 40;

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
  let crowded = false;
  let begunAt: number | null = null;

  const gather = async (): Promise<void> => {
    const until = performance.now() + gatheringMs;
    for (let quiet = 0, seen = 0; quiet < quietTurns && performance.now() < until; quiet += 1) {
      if (queue.length > seen) quiet = 0;
      seen = queue.length;
      await new Promise(setImmediate);
    }
  };

  const drain = async (): Promise<void> => {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      if (crowded) await gather();
      const batch = queue.slice(0, largestBatch);
      queue = queue.slice(largestBatch);
      crowded = batch.length >= crowd;
      begunAt = performance.now();
      await lane.write(batch);
      begunAt = null;
    }
    draining = null;
  };

  const enqueue = <T>(command: Pick<Waiting, "book" | "work">): Promise<T> => {
    if (closed) return Promise.reject(new Error("the storage is closed: nothing more is written"));
    return new Promise<T>((resolve, reject) => {
      const waiting = { ...command, resolve: resolve as (value: unknown) => void, reject };
      // A command for an account with waiting commands joins them.
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
    requireWriting() {
      if (lane.failure !== null) throw lane.failure;
      if (begunAt !== null && performance.now() - begunAt > longestBatchMs) {
        throw new Unavailable(`a batch has been under way for more than ${longestBatchMs} ms`);
      }
    },
    async close() {
      closed = true;
      await draining;
      await turns.close();
      await lane.close();
    },
  };
}

/** The commands of accounts locked by other processes. Each account has its turn, in a lane of its own. */
class Turns {
  readonly #lane: Lane;
  /** By account, in the order of their turns: commands that wait for its lock. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** By account: consecutive turns in which it could not be locked. */
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
      if (before === maxTurns) {
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
