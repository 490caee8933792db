import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { createAccounts } from "../accounts/accounts.ts";
import { type FeedPage, readFeed } from "../audit/history.ts";
import { usage } from "../audit/usage.ts";
import type { ListedEvent } from "../audit/usage-event.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { createBooks, leaseMs } from "./books.ts";
import { micro } from "../billing/money.ts";
import { sampleEvent } from "../billing/sample-event.fixture.ts";
import type { Tokens } from "../parts.ts";
import { openStorage } from "./open.ts";
import { connectPostgres } from "./postgres.ts";
import type { LedgerRow, UsageEventRow, UsageRollupRow } from "../records.ts";
import { systemClock } from "../system-clock.ts";
import { heldClock, systemRandom, temporarySchema } from "./temporary.fixture.ts";

const server = process.env["TEST_DATABASE_URL"];
const where =
  server === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const log = pino({ level: "silent" });
const tokens: Tokens = { sign: () => Promise.reject(new Error()), verify: () => Promise.reject(new Error()) };

/** Opens one process per clock (null: the database's), all together on an empty schema. */
async function processes(clocks: readonly (ReturnType<typeof heldClock> | null)[]) {
  const schema = await temporarySchema(server!);
  const name = new URL(schema.url).searchParams.get("options")!.split("=").at(-1)!;
  const url = `${schema.url}&application_name=${name}`;
  const all = await Promise.all(
    clocks.map(async (held) => {
      const clock = held ?? systemClock;
      const random = systemRandom;
      const storage = await openStorage({ url, clock, random, log, databaseTime: held === null });
      const books = createBooks(storage);
      return { ...storage, books, accounts: createAccounts({ ...storage, clock, random, tokens }) };
    }),
  );
  open.push(async () => {
    await Promise.all(all.map((each) => each.close()));
    await schema.remove();
  });
  const account = async (credits: number): Promise<string> => {
    const { id } = await all[0]!.accounts.create({ name: "shared", email: null });
    const grant = { accountId: id, entryType: "grant_payment_recharge", description: "Recharge" } as const;
    await all[0]!.books.move({ ...grant, amount: micro(credits) });
    return id;
  };
  /** Ends every connection of the writers, as a restart of the server would. */
  const cut = async (): Promise<void> => {
    const connection = await connectPostgres(server!);
    await connection.all(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?",
      [name],
    );
    await connection.destroy();
  };
  return { all, account, cut, url };
}

type Process = Awaited<ReturnType<typeof processes>>["all"][number];

/** Holds and settles one Call at 0.5 credits; false if the balance does not cover it. */
async function call({ books }: Process, accountId: string, executionId: string): Promise<boolean> {
  const event = sampleEvent(accountId, executionId, micro(0.5));
  if (!(await books.hold({ accountId, executionId, amount: micro(1), event }))) return false;
  await books.settle(executionId, event);
  return true;
}

/** Checks an account's books for consistency; returns its events in the order of their numbers. */
async function audited({ database, books }: Process, id: string): Promise<UsageEventRow[]> {
  const rows = async <Row>(table: string) =>
    (await database(table).where({ account_id: id }).orderBy("seq")) as Row[];
  const entries = await rows<LedgerRow>("ledger_entries");
  const events = await rows<UsageEventRow>("usage_events");
  const last = entries.reduce((before, entry) => {
    expect(entry.balance_before).toBe(before);
    return entry.balance_after;
  }, 0);
  expect(await books.balance(id)).toMatchObject({ held: 0, available: last });
  for (const times of [entries, events].map((all) => all.map(({ created_at }) => created_at))) {
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  const rollups = (await database("usage_rollups").where({ account_id: id })) as UsageRollupRow[];
  expect(rollups.reduce((sum, { event_count }) => sum + event_count, 0)).toBe(events.length);
  return events;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe.skipIf(server === undefined)(`several writers on one Postgres (${where})`, () => {
  test("open an empty database together, and keep the books of shared accounts as one", async () => {
    const { all, account } = await processes([null, null, null]);
    const ids = [await account(10), await account(1_000), await account(1_000)];
    const done = await Promise.all(
      numbers(270).map((n) => call(all[n % 3]!, ids[Math.floor(n / 3) % 3]!, `call-${n}`)),
    );
    const calls = await Promise.all(ids.map(async (id) => (await audited(all[0]!, id)).length));
    expect(calls.slice(1)).toEqual([90, 90]);
    expect(calls[0]).toBeGreaterThanOrEqual(10);
    expect(calls[0]).toBeLessThanOrEqual(20);
    expect(done.filter(Boolean)).toHaveLength(180 + calls[0]!);
    const [tool] = await all[0]!.database("tool_stats").sum({ executions: "executions" });
    expect(tool).toEqual({ executions: 180 + calls[0]! });
  });

  test("a feed read meanwhile neither repeats nor skips, also where one clock is an hour behind", async () => {
    const { all, account } = await processes([heldClock(), heldClock(Date.UTC(2026, 10, 20, 11)), null]);
    const id = await account(1_000);
    let writing = true;
    const written = Promise.all(numbers(150).map((n) => call(all[n % 3]!, id, `call-${n}`))).finally(
      () => (writing = false),
    );
    const scope = { database: all[1]!.database, accountId: id };
    const walks: { first: number; seen: number[] }[] = [];
    while (writing) {
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const query = { page_size: 7, ...(cursor !== null && { cursor }) };
        const page: FeedPage<ListedEvent> = await readFeed(usage, scope, readUsageFilter({}), query);
        seen.push(...page.rows.map(({ seq }) => seq));
        cursor = page.paging.next_cursor;
      } while (cursor !== null);
      if (seen.length > 0) walks.push({ first: seen[0]!, seen });
    }
    await written;
    const final = (await audited(all[2]!, id)).map(({ seq }) => seq);
    expect(final).toHaveLength(150);
    expect(walks.length).toBeGreaterThan(0);
    for (const { first, seen } of walks) {
      expect(seen).toEqual(final.filter((seq) => seq <= first).toReversed());
    }
  });

  test("a database whose clock leaps decades ahead of the process's leaves no rows in the future", async () => {
    const clock = heldClock(Date.UTC(1996, 10, 20));
    const schema = await temporarySchema(server!);
    const storage = await openStorage({
      url: schema.url,
      clock,
      random: systemRandom,
      log,
      databaseTime: true,
    });
    open.push(async () => {
      await storage.close();
      await schema.remove();
    });
    const books = createBooks(storage);
    const accounts = createAccounts({ ...storage, clock, random: systemRandom, tokens });
    const { id } = await accounts.create({ name: "early", email: null });
    await books.move({
      accountId: id,
      entryType: "grant_payment_recharge",
      description: "Recharge",
      amount: micro(1),
    });
    const rows = (await storage.database("ledger_entries").where({ account_id: id })) as LedgerRow[];
    expect(rows.map((row) => Number(row.created_at))).toEqual([clock.now()]);
  });

  test("all connections cut meanwhile: nothing acknowledged is lost, and nothing exists twice", async () => {
    const { all, account, cut } = await processes([null, null]);
    const ids = [await account(1_000), await account(1_000)];
    const failed: unknown[] = [];
    for (const wave of numbers(4)) {
      const calls = numbers(60).map((n) => call(all[n % 2]!, ids[(n >> 1) % 2]!, `call-${wave}-${n}`));
      const [results] = await Promise.all([Promise.allSettled(calls), cut()]);
      failed.push(...results.filter(({ status }) => status === "rejected"));
    }
    expect(failed).toEqual([]);
    const events = [...(await audited(all[0]!, ids[0]!)), ...(await audited(all[1]!, ids[1]!))];
    expect(new Set(events.map(({ execution_id }) => execution_id)).size).toBe(240);
    expect(events).toHaveLength(240);
  });

  test("the hold of a process that died is voided by one of the others, once", async () => {
    const clock = heldClock();
    const { all, account } = await processes([clock, clock, clock]);
    const [dead, ...others] = all as [Process, Process, Process];
    const id = await account(10);
    const event = sampleEvent(id, "orphan", micro(1));
    await dead.books.hold({ accountId: id, executionId: "orphan", amount: micro(1), event });
    clock.time += leaseMs + 1;
    const swept = await Promise.all(others.flatMap(({ books }) => [books.sweep(), books.sweep()]));
    expect(swept.reduce((sum, each) => sum + each, 0)).toBe(1);
    await expect(dead.books.settle("orphan", event)).rejects.toThrow("no open hold");
    expect(await audited(others[0], id)).toMatchObject([{ charge_outcome: "failed_not_charged" }]);
  });

  test("a sweep and the late settlement of its hold, concurrent over processes, have one winner", async () => {
    const clock = heldClock();
    const { all, account } = await processes([clock, clock]);
    const [late, other] = all as [Process, Process];
    const id = await account(100);
    for (const n of numbers(20)) {
      const event = sampleEvent(id, `late-${n}`, micro(1));
      await late.books.hold({ accountId: id, executionId: `late-${n}`, amount: micro(1), event });
      clock.time += leaseMs + 1;
      const [settled, swept] = await Promise.allSettled([
        late.books.settle(`late-${n}`, event),
        other.books.sweep(),
      ]);
      expect(swept).toMatchObject({ status: "fulfilled" });
      const voided = swept.status === "fulfilled" ? swept.value : 0;
      expect([settled.status, voided]).toEqual(voided === 1 ? ["rejected", 1] : ["fulfilled", 0]);
    }
    expect(await audited(other, id)).toHaveLength(20);
  });

  test("an account that another client locks does not stall the others, and is written when it is free", async () => {
    const { all, account, url } = await processes([null, null]);
    const [hot, ...cold] = [await account(100), await account(100), await account(100)];
    const locker = await connectPostgres(url);
    await locker.begin();
    await locker.all("SELECT * FROM accounts WHERE id = ? FOR UPDATE", [hot]);
    const waiting = numbers(20).map((n) => call(all[n % 2]!, hot, `hot-${n}`));
    let settled = 0;
    for (const each of waiting) void each.then(() => (settled += 1));

    await Promise.all(numbers(60).map((n) => call(all[n % 2]!, cold[n % 3 === 0 ? 0 : 1]!, `cold-${n}`)));
    expect((await all[0]!.accounts.create({ name: "meanwhile", email: null })).name).toBe("meanwhile");
    expect(settled).toBe(0);

    await locker.rollback();
    await locker.destroy();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => true));
    expect(await audited(all[1]!, hot)).toHaveLength(20);
    expect(await audited(all[0]!, cold[0]!)).toHaveLength(20);
    expect(await audited(all[1]!, cold[1]!)).toHaveLength(40);
  });

  test("all processes on one hot account among others: every call once, and none waits forever", async () => {
    const { all, account } = await processes([null, null, null]);
    const hot = await account(1_000);
    const cold = await Promise.all(numbers(6).map(() => account(1_000)));
    const calls = numbers(240).map((n) => call(all[n % 3]!, n % 2 === 0 ? hot : cold[n % 6]!, `call-${n}`));
    expect(await Promise.all(calls)).toEqual(calls.map(() => true));
    expect(await audited(all[0]!, hot)).toHaveLength(120);
    const others = await Promise.all(cold.map(async (id) => (await audited(all[1]!, id)).length));
    expect(others.reduce((sum, each) => sum + each, 0)).toBe(120);
  });

  test("an account that does not exist is refused, whatever else waits", async () => {
    const { all, account } = await processes([null]);
    const id = await account(10);
    const nobody = "00000000-0000-4000-8000-000000000000";
    const [refused, done] = await Promise.allSettled([
      call(all[0]!, nobody, "none"),
      call(all[0]!, id, "one"),
    ]);
    expect(refused).toMatchObject({ status: "rejected", reason: { name: "BookRefusal" } });
    expect(done).toEqual({ status: "fulfilled", value: true });
  });

  test("a text that Postgres cannot keep is kept with replacements, in events and elsewhere", async () => {
    const { all, account } = await processes([heldClock()]);
    const id = await account(1);
    const query = 'a\0b \ud83d "c"';
    await all[0]!.books.record(sampleEvent(id, "odd", 0, { query, request_payload: { query } }));
    const kept = 'a\ufffdb \ufffd "c"';
    const [event] = await audited(all[0]!, id);
    expect(event).toMatchObject({ query: kept });
    expect(JSON.parse(event!.request_payload!)).toEqual({ query });
    expect((await all[0]!.accounts.create({ name: query, email: null })).name).toBe(kept);
  });

  test("a key that one process revokes is refused by every other one immediately", async () => {
    const { all, account } = await processes([heldClock(), heldClock(), heldClock()]);
    const id = await account(1);
    const key = await all[1]!.accounts.addKey(id, "shared");
    for (const each of all)
      expect(await each.accounts.authenticate(key.apiKey)).toMatchObject({ account: { id } });
    await all[2]!.accounts.revokeKey(key.id);
    for (const each of all) {
      expect(await each.accounts.authenticate(key.apiKey)).toEqual({ refused: "The API key was revoked." });
    }
  });
});
