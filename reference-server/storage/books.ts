import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Balance, Books } from "../parts.ts";
import type { AccountRow } from "../records.ts";
import type { Writer } from "./writer.ts";
import { availableOf } from "../billing/book.ts";

/**
 * After how long without a sign of life a process counts as dead, in ms. Many times a beat, since a living process that
 * is short of CPU time would lose the executions that it has under way.
 */
export const leaseMs = 15_000;

/** How often a process gives a sign of life and looks for dead ones, in ms. */
const beatMs = 1_000;

/**
 * After how long without a sign of life a process is forgotten, in ms: by its sign it finds out, after an outage, which of
 * its batches was committed (storage/writer.ts).
 */
const forgottenMs = 3_600_000;

/** Through how many sweeps a process that lives cannot be without a sign: more than its lease. */
export const silentSweeps = (2 * leaseMs) / beatMs;

/** How many holds one commit of a sweep voids. */
const sweptAtOnce = 200;

/** The writing side of money and audit on the one writer. Refused commands reject with a BookRefusal. */
export function createBooks({ database, writer }: { database: Knex; writer: Writer }): Books {
  const silentOwners = watchSigns();
  return {
    hold: (hold) =>
      writer.book({
        accounts: [hold.accountId],
        executions: [hold.executionId],
        apply: (book) => book.hold(hold),
      }),
    settle: (executionId, event) =>
      writer.book({
        accounts: [event.account_id],
        executions: [executionId],
        apply: (book) => book.settle(executionId, event),
      }),
    record: (event) =>
      writer.book({ accounts: [event.account_id], executions: [], apply: (book) => book.record(event) }),
    move: (move) =>
      writer.book({
        accounts: [move.accountId],
        executions: [],
        apply: (book) => book.move({ ...move, sourceSystem: "operator" }),
      }),
    async sweep() {
      let voided = 0;
      const signs = await database<{ owner: string; batch: number }>("processes").select("owner", "batch");
      const silent = silentOwners(signs.filter(({ owner }) => owner !== writer.owner));
      for (;;) {
        const some = await sweepSome(writer, silent);
        voided += some.voided;
        if (some.found < sweptAtOnce) return voided;
      }
    },
    async balance(accountId) {
      const account = await database<AccountRow>("accounts").where("id", accountId).first();
      if (account === undefined) throw new Error(`there is no account ${accountId}`);
      return balanceOf(account);
    },
  };
}

/** Voids some of the holds of dead processes: of those without a sign of life, and of the silent ones. */
const sweepSome = (writer: Writer, silent: readonly string[]): Promise<{ found: number; voided: number }> =>
  writer.run(async (tx) => {
    const dead = tx.now - leaseMs;
    const orphans = await tx.all<{ execution_id: string }>(
      `SELECT h.execution_id FROM holds h LEFT JOIN processes p ON p.owner = h.owner
        WHERE p.owner IS NULL OR p.heartbeat_at < ?${silent.map(() => " OR p.owner = ?").join("")}
        ORDER BY h.created_at LIMIT ${sweptAtOnce}`,
      [dead, ...silent],
    );
    const swept = { found: orphans.length, voided: 0 };
    for (const { execution_id } of orphans) {
      tx.book({
        accounts: [],
        executions: [execution_id],
        apply(book) {
          // Its process may live after all, and have settled it since it was found.
          if (!book.holds.has(execution_id)) return;
          book.void(execution_id);
          swept.voided += 1;
        },
      });
    }
    await tx.all("DELETE FROM processes WHERE heartbeat_at < ?", [tx.now - forgottenMs]);
    return swept;
  });

/**
 * Which processes have given no sign through so many sweeps that their lease must be over, whatever the clock says: after
 * it was set back, the last sign of a dead process lies ahead for as long.
 */
function watchSigns(): (signs: readonly { owner: string; batch: number }[]) => string[] {
  const seen = new Map<string, { batch: number; sweeps: number }>();
  return (signs) => {
    const owners = new Set(signs.map(({ owner }) => owner));
    for (const owner of seen.keys()) if (!owners.has(owner)) seen.delete(owner);
    return signs.flatMap(({ owner, batch }) => {
      const last = seen.get(owner);
      const sweeps = last?.batch === batch ? last.sweeps + 1 : 0;
      seen.set(owner, { batch, sweeps });
      return sweeps > silentSweeps ? [owner] : [];
    });
  };
}

const balanceOf = (account: AccountRow): Balance => ({
  available: availableOf(account),
  held: account.held,
  welcomeBonus: { remaining: account.welcome_remaining, initial: account.welcome_total },
  inviteReward: { remaining: account.invite_remaining, total: account.invite_total },
  purchased: { remaining: account.purchased_remaining, total: account.purchased_total },
});

/**
 * Sweeps now and then every second: each sweep is also this process's sign of life, so a server that takes calls must
 * keep it running. Answers how to stop it.
 */
export async function keepSwept(books: Books, log: Logger): Promise<() => void> {
  const sweep = async (): Promise<void> => {
    try {
      const voided = await books.sweep();
      if (voided > 0) log.warn({ voided }, "voided the holds of processes that had ended");
    } catch (error) {
      log.error({ err: error }, "the sweep failed; it is tried again in a second");
    }
  };
  await sweep();
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void sweep().finally(() => (running = false));
  }, beatMs);
  timer.unref();
  return () => clearInterval(timer);
}
