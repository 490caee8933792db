import { afterEach, expect, test, vi } from "vitest";
import { createBooks } from "./books.ts";
import { sampleEvent } from "../billing/sample-event.fixture.ts";
import { Interrupted, OutcomeUnknown } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { openStorage } from "./open.ts";
import { sqlitePath } from "./sqlite.ts";
import { systemRandom, temporaryStorage } from "./temporary.fixture.ts";
import type { Transaction, Writer } from "./writer.ts";
import { pino } from "pino";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of open.splice(0)) await remove();
});

type Commit = (real: Connection) => Promise<void>;

/** A storage whose next COMMITs a test controls; later ones are real. */
async function withCommits() {
  const commits: Commit[] = [];
  let connections = 0;
  const unreachable = { times: 0 };
  const storage = await temporaryStorage({
    async connect(usual) {
      if (unreachable.times > 0) {
        unreachable.times -= 1;
        throw new Interrupted("the server is restarting");
      }
      connections += 1;
      const real = await usual();
      return { ...real, commit: () => (commits.shift() ?? ((each: Connection) => each.commit()))(real) };
    },
  });
  open.push(storage.remove);
  return {
    ...storage,
    commits,
    unreachable,
    connections: () => connections,
    books: createBooks(storage),
  };
}

const insertAccount = (id: string) => async (tx: Transaction) => {
  await tx.all(
    `INSERT INTO accounts (id, type, welcome_remaining, welcome_total, invite_remaining, invite_total,
      purchased_remaining, purchased_total, held, created_at) VALUES (?, 'formal', 0, 0, 0, 0, 0, 0, 0, ?)`,
    [id, tx.now],
  );
  return id;
};

const failing: Commit = () => Promise.reject(new Error("SQLITE_FULL: database or disk is full"));

test("a COMMIT that fails costs its connection, but nothing acknowledged", async () => {
  const { writer, commits, connections, database, url, clock } = await withCommits();
  commits.push(failing);
  const ids = ["a", "b", "c"];
  expect(await Promise.all(ids.map((id) => writer.run(insertAccount(id))))).toEqual(ids);
  expect(connections()).toBe(2);
  expect(await writer.run(insertAccount("d"))).toBe("d");
  expect(await database("accounts").orderBy("id").pluck("id")).toEqual(["a", "b", "c", "d"]);
  const again = await openStorage({ url, clock, random: systemRandom, log: pino({ level: "silent" }) });
  expect(await again.database("accounts").count({ n: "*" })).toEqual([{ n: 4 }]);
  await again.close();
});

test("a COMMIT that failed for us but took effect is not repeated", async () => {
  const { writer, books, commits, connections } = await withCommits();
  await writer.run(insertAccount("a"));
  commits.push(async (real) => {
    await real.commit();
    throw new Error("SQLITE_IOERR: disk I/O error");
  });
  await Promise.all([books.move(recharge), books.move(recharge)]);
  expect(connections()).toBe(2);
  expect(await books.balance("a")).toMatchObject({ available: 10 });
});

const recharge = {
  accountId: "a",
  entryType: "grant_payment_recharge",
  amount: 5,
  description: "Recharge",
} as const;

/** A COMMIT without an answer, with or without its effect. */
const unanswered =
  (tookEffect: boolean): Commit =>
  async (real) => {
    await (tookEffect ? real.commit() : real.rollback());
    throw new Interrupted("the connection was lost");
  };

test.each([true, false])(
  "the fate of a COMMIT without an answer is asked until the database is back (it took effect: %s)",
  async (tookEffect) => {
    const { writer, books, commits, unreachable } = await withCommits();
    await writer.run(insertAccount("a"));
    commits.push(unanswered(tookEffect));
    unreachable.times = 6;
    await Promise.all([books.move(recharge), books.move(recharge)]);
    expect(unreachable.times).toBe(0);
    expect(await books.balance("a")).toMatchObject({ available: 10 });
  },
);

/** What the writer says of writing at present. */
function writesAre({ requireWriting }: Pick<Writer, "requireWriting">): string {
  try {
    requireWriting();
    return "promised";
  } catch (error) {
    return (error as Error).message;
  }
}

test("no write is promised while the fate of a COMMIT cannot be asked", async () => {
  const { writer, books, commits, unreachable } = await withCommits();
  await writer.run(insertAccount("a"));
  commits.push(unanswered(false));
  unreachable.times = Infinity;
  const moved = books.move(recharge);
  await expect.poll(() => writesAre(writer)).toBe("the server is restarting");
  unreachable.times = 0;
  await moved;
  expect(writesAre(writer)).toBe("promised");
});

test("where it cannot be asked in time, the client learns so, and nothing is tried again", async () => {
  const { writer, books, commits, unreachable } = await withCommits();
  await writer.run(insertAccount("a"));
  let lost = false;
  commits.push((real) => unanswered(true)(real).finally(() => (lost = true)));
  unreachable.times = Infinity;
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    let outcome: unknown = null;
    void books.move(recharge).then(
      (moved) => (outcome = moved),
      (error: unknown) => (outcome = error),
    );
    while (outcome === null) {
      // Until then the database is busy, and its own deadlines must not pass.
      if (lost) await vi.advanceTimersByTimeAsync(100);
      await new Promise(setImmediate);
    }
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
  } finally {
    vi.useRealTimers();
  }
  unreachable.times = 0;
  await books.move(recharge);
  expect(await books.balance("a")).toMatchObject({ available: 10 });
});

test("when COMMIT keeps failing, every command is rejected, and none is stored", async () => {
  const { writer, commits, database } = await withCommits();
  commits.push(failing, failing, failing);
  const results = await Promise.allSettled([writer.run(insertAccount("a")), writer.run(insertAccount("b"))]);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
  expect(await database("accounts")).toEqual([]);
  expect(await writer.run(insertAccount("a"))).toBe("a");
});

test("only a command that breaks the schema fails; the others of its batch are committed", async () => {
  const { writer, books, database } = await withCommits();
  await writer.run(insertAccount("a"));
  const event = (executionId: string) => sampleEvent("a", executionId, 0);
  await books.record(event("taken"));
  const results = await Promise.allSettled([
    books.record(event("one")),
    books.record(event("taken")),
    writer.run(insertAccount("a")),
    writer.run(insertAccount("b")),
    books.record(event("two")),
  ]);
  expect(results.map((result) => result.status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(await database("usage_events").orderBy("seq").pluck("execution_id")).toEqual([
    "taken",
    "one",
    "two",
  ]);
  expect(await database("accounts").orderBy("id").pluck("id")).toEqual(["a", "b"]);
});

test("ledger and usage events are append-only, and read connections cannot write at all", async () => {
  const { writer, books, database } = await withCommits();
  await writer.run(insertAccount("a"));
  await books.move({ accountId: "a", entryType: "grant_welcome_bonus", amount: 5, description: "Bonus" });
  await books.record(sampleEvent("a", "one", 5));
  for (const table of ["ledger_entries", "usage_events"]) {
    for (const change of [`UPDATE ${table} SET created_at = 0`, `DELETE FROM ${table}`]) {
      await expect(writer.run((tx) => tx.all(change))).rejects.toThrow(`${table} is append-only`);
      await expect(database.raw(change)).rejects.toThrow(/read-?only/);
    }
  }
  expect(await database("ledger_entries").count({ n: "*" })).toEqual([{ n: 2 }]);
});

test("a run whose money command is refused is undone as a whole", async () => {
  const { writer, database } = await withCommits();
  const work = writer.run(async (tx) => {
    await insertAccount("a")(tx);
    const grant = {
      accountId: "a",
      entryType: "grant_welcome_bonus",
      amount: -1,
      description: "",
      sourceSystem: "",
    } as const;
    tx.book({ accounts: ["a"], executions: [], apply: (book) => book.move(grant) });
  });
  await expect(work).rejects.toThrow("expected a positive amount");
  expect(await database("accounts")).toEqual([]);
});

test("an address other than a file is refused with what would be right", () => {
  expect(() => sqlitePath("mysql://host/db")).toThrow("DATABASE_URL must be file:PATH");
  expect(() => sqlitePath("postgres:/me:secret@host/db")).toThrow(/^(?!.*secret)/);
  expect(sqlitePath("file:data.sqlite")).toBe("data.sqlite");
  expect(sqlitePath("file:///var/data.sqlite")).toBe("/var/data.sqlite");
});

test("after a crowd, a batch grows as long as turns of the event loop add commands", async () => {
  const batches: number[] = [];
  const { writer, remove } = await temporaryStorage({ onBatch: (commands) => batches.push(commands) });
  open.push(remove);
  // On a busy machine a few turns take longer than a batch may grow.
  vi.spyOn(performance, "now").mockReturnValue(0);
  const write = (): Promise<number> => writer.run((tx) => Promise.resolve(tx.now));
  const crowd = Array.from({ length: 8 }, write);
  await crowd[0];
  const later: Promise<number>[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    later.push(write());
    await new Promise(setImmediate);
  }
  await Promise.all([...crowd, ...later]);
  expect(batches).toEqual([8, 5]);
});
