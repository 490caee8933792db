import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { createAccounts } from "../accounts/accounts.ts";
import { readUsageFilter } from "../audit/usage-filter.ts";
import { type FeedPage, readFeed } from "../audit/history.ts";
import { usage } from "../audit/usage.ts";
import type { ListedEvent } from "../audit/usage-event.ts";
import type { Tokens } from "../parts.ts";
import { openStorage } from "./open.ts";
import type { LedgerRow, UsageEventRow, UsageRollupRow } from "../records.ts";
import { heldClock, systemRandom, temporaryStorage } from "./temporary.fixture.ts";
import { createBooks, leaseMs, silentSweeps } from "./books.ts";
import { micro } from "../billing/money.ts";
import { sampleEvent } from "../billing/sample-event.fixture.ts";
import { pino } from "pino";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of open.splice(0)) await remove();
});

const noTokens: Tokens = {
  sign: () => Promise.reject(new Error()),
  verify: () => Promise.reject(new Error()),
};

async function setUp() {
  const clock = heldClock();
  const storage = await temporaryStorage({ clock });
  open.push(storage.remove);
  const books = createBooks(storage);
  const accounts = createAccounts({ ...storage, clock, random: systemRandom, tokens: noTokens });
  const account = async (credits: number): Promise<string> => {
    const { id } = await accounts.create({ name: "tester", email: null });
    if (credits > 0) {
      await books.move({
        accountId: id,
        entryType: "grant_payment_recharge",
        amount: micro(credits),
        description: "Recharge",
      });
    }
    return id;
  };
  const rows = async <Row>(table: string, accountId: string): Promise<Row[]> =>
    (await storage.database(table).where({ account_id: accountId }).orderBy("seq")) as Row[];
  return { ...storage, clock, books, accounts, account, rows };
}

test("a text is kept whole, and is made well-formed where it is not", async () => {
  const { books, account, rows } = await setUp();
  const id = await account(10);
  const query = 'a "c" \\ud83d 许 😀';
  await books.record({ ...sampleEvent(id, "execution-1", 0), query });
  await books.record({ ...sampleEvent(id, "execution-2", 0), query: `lone \ud83d!` });
  const [whole, lone] = await rows<UsageEventRow>("usage_events", id);
  expect(whole!.query).toBe(query);
  expect(lone!.query).toBe("lone \ufffd!");
});

test("a Call moves its held credits once, with one event and one linked entry", async () => {
  const { books, account, rows } = await setUp();
  const id = await account(10);
  const event = sampleEvent(id, "execution-1", micro(2.5));
  expect(await books.hold({ accountId: id, executionId: "execution-1", amount: micro(4), event })).toBe(true);
  expect(await books.balance(id)).toMatchObject({ available: micro(6), held: micro(4) });

  const { event: written, remaining } = await books.settle("execution-1", event);
  expect(remaining).toBe(micro(7.5));
  await expect(books.settle("execution-1", event)).rejects.toThrow("has no open hold");

  const [, entry, ...more] = await rows<LedgerRow>("ledger_entries", id);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    id: written.credits_ledger_entry_id,
    entry_type: "consume_tool_execute",
    amount: -micro(2.5),
    execution_id: "execution-1",
    balance_before: micro(10),
    balance_after: micro(7.5),
    source_ref_id: written.id,
  });
  expect(await rows("usage_events", id)).toEqual([written]);
  expect(await books.balance(id)).toMatchObject({ available: micro(7.5), held: 0 });
});

test("of 40 concurrent Calls on a balance that covers 7, exactly 7 are held", async () => {
  const { books, account } = await setUp();
  const id = await account(7);
  const held = await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const event = sampleEvent(id, `execution-${n}`, micro(1));
      return books.hold({ accountId: id, executionId: `execution-${n}`, amount: micro(1), event });
    }),
  );
  expect(held.filter(Boolean)).toHaveLength(7);
  expect(await books.balance(id)).toMatchObject({ available: 0, held: micro(7) });
});

test("a settlement above its hold, a wrong outcome and a foreign account are refused and change nothing", async () => {
  const { books, account, rows } = await setUp();
  const [id, other] = [await account(10), await account(10)];
  const event = sampleEvent(id, "execution-1", micro(3));
  await books.hold({ accountId: id, executionId: "execution-1", amount: micro(2), event });
  await expect(books.settle("execution-1", event)).rejects.toThrow("2000000 are held");
  await expect(
    books.settle("execution-1", sampleEvent(id, "execution-1", 0, { charge_outcome: "charged" })),
  ).rejects.toThrow("make included");
  await expect(books.settle("execution-1", sampleEvent(other, "execution-1", 1))).rejects.toThrow("another");
  expect(await rows("usage_events", id)).toEqual([]);
  expect(await books.balance(id)).toMatchObject({ available: micro(8), held: micro(2) });
});

test("a charged Discover that the balance does not cover is insufficient and leaves nothing", async () => {
  const { books, account, rows } = await setUp();
  const id = await account(1);
  const search = (amount: number) => sampleEvent(id, null, micro(amount), { event_type: "search" });
  expect(await books.record(search(1.5))).toBe("insufficient");
  expect(await rows("usage_events", id)).toEqual([]);
  expect(await books.record(search(1))).toMatchObject({ remaining: 0, event: { kind: "discover" } });
  expect((await rows<LedgerRow>("ledger_entries", id)).at(-1)).toMatchObject({
    entry_type: "consume_tool_search",
    execution_id: null,
  });
  expect(await books.record(search(0))).toMatchObject({ event: { credits_ledger_entry_id: null } });
});

test("credits are spent in their order, and a refund takes back purchased ones only", async () => {
  const { books, account, rows } = await setUp();
  const id = await account(5);
  const move = (entryType: LedgerRow["entry_type"], credits: number) =>
    books.move({ accountId: id, entryType, amount: micro(credits), description: "by hand" });
  await move("grant_welcome_bonus", 2);
  await move("grant_invitation_reward", 1);
  await books.record(sampleEvent(id, "execution-1", micro(3.5)));
  expect(await books.balance(id)).toMatchObject({
    inviteReward: { remaining: 0, total: micro(1) },
    welcomeBonus: { remaining: 0, initial: micro(2) },
    purchased: { remaining: micro(4.5), total: micro(5) },
  });
  const last = (await rows<LedgerRow>("ledger_entries", id)).at(-1);
  expect(JSON.parse(last!.ledger_metadata!)).toEqual({
    categories: { invite: -1, welcome: -2, purchased: -0.5 },
  });
  await expect(move("consume_payment_refund", -4.6)).rejects.toThrow("more than the 4.5 purchased credits");
  await expect(move("consume_payment_refund", 1)).rejects.toThrow("expected a negative amount");
  await expect(move("consume_tool_execute", -1)).rejects.toThrow("cannot be moved by itself");
  await move("consume_payment_refund", -4.5);
  expect(await books.balance(id)).toMatchObject({
    available: 0,
    purchased: { remaining: 0, total: micro(0.5) },
  });
});

test("the hold of a process that died is voided by another one, once, with an event that says so", async () => {
  const { books, account, rows, clock, url, writer } = await setUp();
  const id = await account(10);
  const event = sampleEvent(id, "execution-1", micro(2));
  await books.hold({ accountId: id, executionId: "execution-1", amount: micro(2), event });
  const log = pino({ level: "silent" });
  const next = await openStorage({ url, clock, random: systemRandom, log });
  open.unshift(next.close);
  const nextBooks = createBooks(next);
  expect(await nextBooks.sweep()).toBe(0);
  clock.time += leaseMs + 1;
  expect(await nextBooks.sweep()).toBe(1);
  expect(await nextBooks.sweep()).toBe(0);
  expect(await rows("usage_events", id)).toMatchObject([
    {
      execution_id: "execution-1",
      success: 0,
      charge_outcome: "failed_not_charged",
      reason_code: "transport.execution_failed",
      error_message: expect.stringContaining("ended before the outcome"),
      requested_amount: micro(2),
      settled_amount: 0,
      request_payload: '{"city":"Bern"}',
    },
  ]);
  expect(await nextBooks.balance(id)).toMatchObject({ available: micro(10), held: 0 });
  await expect(books.settle("execution-1", event)).rejects.toThrow("has no open hold");
  expect(writer.owner).not.toBe(next.writer.owner);
});

test("amounts at the bound of exact integers survive the database", async () => {
  const { books, account, rows } = await setUp();
  const id = await account(0);
  const most = Number.MAX_SAFE_INTEGER;
  const grant = (amount: number) =>
    books.move({ accountId: id, entryType: "grant_payment_recharge", amount, description: "Recharge" });
  await grant(most);
  expect(await books.balance(id)).toMatchObject({ available: most });
  await expect(grant(1)).rejects.toThrow("more credits than can be kept exactly");
  const event = sampleEvent(id, "execution-1", most);
  await books.hold({ accountId: id, executionId: "execution-1", amount: most, event });
  await books.settle("execution-1", event);
  expect((await rows<LedgerRow>("ledger_entries", id)).at(-1)).toMatchObject({
    amount: -most,
    balance_before: most,
  });
  expect(await rows<UsageEventRow>("usage_events", id)).toMatchObject([{ settled_amount: most }]);
});

type Step = {
  do: "hold" | "settle" | "again" | "record" | "grant";
  account: 0 | 1;
  amount: number;
  later: number;
};

test("under concurrency: no negative balance, no gap in the chain, one event and entry for each Call", async () => {
  const { books, account, rows, clock, database } = await setUp();
  const anyStep: fc.Arbitrary<Step> = fc.record({
    do: fc.constantFrom("hold", "settle", "again", "record", "grant"),
    account: fc.constantFrom(0, 1),
    amount: fc.integer({ min: 0, max: 3_000_000 }),
    later: fc.constantFrom(-5_000, 0, 1, 1_800_000),
  });
  let executions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(anyStep, { maxLength: 12 }), { maxLength: 8 }), async (rounds) => {
      const ids = [await account(5), await account(0)];
      const held: { id: string; execution: string; amount: number }[] = [];
      const settled: { id: string; execution: string; amount: number }[] = [];
      const run = async (step: Step): Promise<void> => {
        const id = ids[step.account]!;
        clock.time += step.later;
        if (step.do === "grant") {
          if (step.amount === 0) return;
          const grant = {
            accountId: id,
            entryType: "grant_invitation_reward",
            description: "Reward",
          } as const;
          await books.move({ ...grant, amount: step.amount });
        } else if (step.do === "record") {
          await books.record(sampleEvent(id, null, step.amount, { event_type: "model_call" }));
        } else if (step.do === "hold") {
          const execution = `random-${(executions += 1)}`;
          const event = sampleEvent(id, execution, step.amount);
          if (await books.hold({ accountId: id, executionId: execution, amount: step.amount, event })) {
            held.push({ id, execution, amount: step.amount });
          }
        } else if (step.do === "settle") {
          const hold = held.pop();
          if (hold === undefined) return;
          const amount = Math.min(step.amount, hold.amount);
          await books.settle(hold.execution, sampleEvent(hold.id, hold.execution, amount));
          settled.push({ ...hold, amount });
        } else if (settled.length > 0) {
          const { id: owner, execution } = settled[0]!;
          await expect(books.settle(execution, sampleEvent(owner, execution, 0))).rejects.toThrow(
            "no open hold",
          );
        }
      };
      for (const round of rounds) await Promise.all(round.map(run));

      for (const id of ids) {
        const entries = await rows<LedgerRow>("ledger_entries", id);
        const events = await rows<UsageEventRow>("usage_events", id);
        const balance = await books.balance(id);
        const chain = entries.reduce((before, entry) => {
          expect(entry.balance_before).toBe(before);
          expect(entry.balance_after).toBe(before + entry.amount);
          return entry.balance_after;
        }, 0);
        expect(balance.available + balance.held).toBe(chain);
        expect(balance.available).toBeGreaterThanOrEqual(0);
        expect(balance.held).toBe(sum(held.filter((hold) => hold.id === id).map((hold) => hold.amount)));
        for (const { execution, amount } of settled.filter((call) => call.id === id)) {
          const event = events.filter((each) => each.execution_id === execution);
          const entry = entries.filter((each) => each.execution_id === execution);
          expect(event).toMatchObject([{ settled_amount: amount }]);
          expect(entry.map((each) => [each.id, each.amount])).toEqual(
            amount === 0 ? [] : [[event[0]!.credits_ledger_entry_id, -amount]],
          );
        }
        const times = events.map((event) => event.created_at);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const rollups = (await database("usage_rollups").where({ account_id: id })) as UsageRollupRow[];
        expect(sum(rollups.map((rollup) => rollup.event_count))).toBe(events.length);
        expect(sum(rollups.map((rollup) => rollup.settled_amount))).toBe(
          sum(events.map((event) => event.settled_amount)),
        );
      }
    }),
    { numRuns: 25, verbose: true },
  );
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const hour = 3_600_000;

test("a clock that steps back and forth keeps order, chain of balances and paging of an account", async () => {
  const { books, account, rows, clock, database } = await setUp();
  const id = await account(100);
  const written: string[] = [];
  for (const step of [0, hour, -2 * hour, 10, -30 * 24 * hour, 31 * 24 * hour, -1]) {
    clock.time += step;
    const executionId = `execution-${written.length}`;
    const event = sampleEvent(id, executionId, micro(1));
    await books.hold({ accountId: id, executionId, amount: micro(1), event });
    await books.settle(executionId, event);
    written.push(executionId);
  }
  const events = await rows<UsageEventRow>("usage_events", id);
  const entries = await rows<LedgerRow>("ledger_entries", id);
  expect(events.map(({ execution_id }) => execution_id)).toEqual(written);
  for (const times of [events, entries].map((all) => all.map(({ created_at }) => created_at))) {
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  entries.reduce((before, entry) => {
    expect(entry.balance_before).toBe(before);
    return entry.balance_after;
  }, 0);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const query = { page_size: 1, ...(cursor !== null && { cursor }) };
    const page: FeedPage<ListedEvent> = await readFeed(
      usage,
      { database, accountId: id },
      readUsageFilter({}),
      query,
    );
    paged.push(...page.rows.map(({ execution_id }) => execution_id!));
    cursor = page.paging.next_cursor;
  } while (cursor !== null);
  expect(paged).toEqual(written.toReversed());
});

test("a clock that is set forward does not void the executions of a living process", async () => {
  const { books, account, clock } = await setUp();
  const id = await account(10);
  const event = sampleEvent(id, "living", micro(1));
  await books.hold({ accountId: id, executionId: "living", amount: micro(1), event });
  clock.time += 24 * hour;
  expect(await books.sweep()).toBe(0);
  await books.settle("living", event);
  expect(await books.balance(id)).toMatchObject({ available: micro(9), held: 0 });
});

test("after the clock was set back, the hold of a process that died is voided by its silence", async () => {
  const { books, account, clock, url } = await setUp();
  const id = await account(10);
  const log = pino({ level: "silent" });
  const other = await openStorage({ url, clock, random: systemRandom, log });
  open.push(other.close);
  const event = sampleEvent(id, "orphan", micro(1));
  await createBooks(other).hold({ accountId: id, executionId: "orphan", amount: micro(1), event });
  clock.time -= hour;
  for (let sweeps = 0; sweeps <= silentSweeps; sweeps += 1) expect(await books.sweep()).toBe(0);
  expect(await books.sweep()).toBe(1);
  expect(await books.balance(id)).toMatchObject({ available: micro(10), held: 0 });
});
