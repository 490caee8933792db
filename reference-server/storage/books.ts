import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Balance, Books } from "../parts.ts";
import type { AccountRow, NewUsageEvent } from "../records.ts";
import type { Writer } from "./writer.ts";
import { availableOf } from "../billing/book.ts";
import { gathered, padded } from "./gathered.ts";
import { marks, readRows } from "./reader.ts";

/**
 * The lease: how long after its last sign of life a process counts as dead, in ms. It is many heartbeats long, since a
 * living process that lacks CPU time would lose its executions under way.
 */
export const leaseMs = 15_000;

/** The interval of signs of life and of sweeps, in ms. */
const beatMs = 1_000;

/**
 * How long after its last sign of life a process is forgotten, in ms: after an outage, its row shows which of its
 * batches was committed (storage/writer.ts).
 */
const forgottenMs = 3_600_000;

/** The number of sweeps that a living process cannot miss: more than its lease. */
export const silentSweeps = (2 * leaseMs) / beatMs;

/** The number of holds voided in one commit of a sweep. */
const sweptAtOnce = 200;

/** The write side of money and audit, on the single writer. Refused commands reject with a BookRefusal. */
export function createBooks({ database, writer }: { database: Knex; writer: Writer }): Books {
  const silentOwners = watchSigns();
  const accounts = gathered((ids) => readAccounts(database, ids));
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
      const account = (await accounts([accountId])).get(accountId);
      if (account === undefined) throw new Error(`there is no account ${accountId}`);
      return balanceOf(account);
    },
  };
}

const readAccounts = async (database: Knex, ids: readonly string[]): Promise<Map<string, AccountRow>> => {
  const bindings = padded(ids);
  const sql = `SELECT * FROM accounts WHERE id IN (${marks(bindings.length)})`;
  const rows = await readRows<AccountRow>(database, sql, bindings);
  return new Map(rows.map((row) => [row.id, row]));
};

/** Voids some of the holds of dead processes: those whose lease has expired, and the silent ones. */
const sweepSome = (writer: Writer, silent: readonly string[]): Promise<{ found: number; voided: number }> =>
  writer.run(async (tx) => {
    const dead = tx.now - leaseMs;
    const orphans = await tx.all<{ execution_id: string; event: string }>(
      `SELECT h.execution_id, h.event FROM holds h LEFT JOIN processes p ON p.owner = h.owner
        WHERE p.owner IS NULL OR p.heartbeat_at < ?${silent.map(() => " OR p.owner = ?").join("")}
        ORDER BY h.created_at LIMIT ${sweptAtOnce}`,
      [dead, ...silent],
    );
    const swept = { found: orphans.length, voided: 0 };
    for (const { execution_id, event } of orphans) {
      tx.book({
        accounts: [],
        executions: [execution_id],
        apply(book) {
          // The process may be alive after all, and have settled the hold in the meantime.
          if (!book.holds.has(execution_id)) return;
          book.void(execution_id, JSON.parse(event) as NewUsageEvent);
          swept.voided += 1;
        },
      });
    }
    await tx.all("DELETE FROM processes WHERE heartbeat_at < ?", [tx.now - forgottenMs]);
    return swept;
  });

/**
 * The processes that gave no sign during so many sweeps that their lease must be over, whatever the clock says. If it
 * was set back, the last sign of a dead process is in the future.
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
 * Sweeps now and then every second. Each sweep is also this process's sign of life, so a server that takes calls must
 * keep sweeping. Returns a function that stops it.
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
