import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createAccounts } from "../accounts/accounts.ts";
import { contextOf, requestOf } from "../audit/history.fixture.ts";
import { micro } from "../billing/money.ts";
import { sampleEvent } from "../billing/sample-event.fixture.ts";
import { listLedger } from "../operations/list-ledger.ts";
import { listUsage } from "../operations/list-usage.ts";
import type { Tokens } from "../parts.ts";
import type { LedgerRow } from "../records.ts";
import { createBooks } from "./books.ts";
import { openStorage } from "./open.ts";
import { connectPostgres } from "./postgres.ts";
import { heldClock, systemRandom, temporarySchema } from "./temporary.fixture.ts";

/*
 * The growth that docs/scale.md describes, with its own statements.
 */

const server = process.env["TEST_DATABASE_URL"];
const [partitioning, retention] = [
  ...readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8").matchAll(/```sql\n([\s\S]*?)```/g),
].map(([, sql]) => sql!);

const hourMs = 3_600_000;
const seed = randomInt(2 ** 31);

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function numbersOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.skipIf(server === undefined)(
  `tables are partitioned by month and old events leave, and the ledger's chain stays whole (seed ${seed})`,
  async () => {
    const { url, remove } = await temporarySchema(server!);
    const operator = await connectPostgres(url);
    const clock = heldClock(Date.UTC(2026, 9, 5));
    const log = pino({ level: "silent" });
    const open = () => openStorage({ url, clock, random: systemRandom, log });
    let storage = await open();
    try {
      const accounts = createAccounts({ ...storage, clock, random: systemRandom, tokens: {} as Tokens });
      const ids: string[] = [];
      for (const name of ["one", "two", "three"]) {
        const { id } = await accounts.create({ name, email: null });
        const grant = { entryType: "grant_payment_recharge", description: "Recharge" } as const;
        await createBooks(storage).move({ accountId: id, amount: micro(10_000), ...grant });
        ids.push(id);
      }
      const random = numbersOf(seed);
      let made = 0;
      /** Charged Calls of all accounts, some hours after another. */
      const calls = async (count: number): Promise<void> => {
        const books = createBooks(storage);
        for (let call = 0; call < count; call += 1) {
          clock.time += Math.floor(random() * 20 * hourMs);
          const id = ids[Math.floor(random() * ids.length)]!;
          await books.record(sampleEvent(id, `exec_${(made += 1)}`, micro(1 + Math.floor(random() * 5))));
        }
      };
      const totals = async (of: string): Promise<[listed: number, summed: number]> => {
        const context = contextOf(storage.database, clock.time);
        const request = requestOf(of, { summary: true, start_date: "2026-10-01" }) as never;
        const { body } = await listUsage(request, context);
        const { total, summary } = (body as unknown as { data: Totals }).data;
        return [total, summary.total_count];
      };
      const expectWholeChain = async (): Promise<void> => {
        for (const id of ids) {
          const entries = await operator.all<LedgerRow>(
            "SELECT * FROM ledger_entries WHERE account_id = ? ORDER BY created_at, seq",
            [id],
          );
          let balance = 0;
          for (const { balance_before: before, balance_after: after } of entries) {
            expect(before).toBe(balance);
            balance = after;
          }
          expect(await createBooks(storage).balance(id)).toMatchObject({ available: balance });
          const { body } = await listLedger(requestOf(id) as never, contextOf(storage.database, clock.time));
          expect((body as unknown as { data: Totals }).data.total).toBe(entries.length);
        }
      };

      await calls(60);
      const old = await Promise.all(ids.map(totals));
      await storage.close();
      clock.time = Math.max(clock.time, Date.UTC(2026, 11, 1));
      await operator.all(partitioning!);
      for (const table of ["usage_events", "ledger_entries"]) {
        await operator.all(`SELECT partition_by_month('${table}', '2026-12-01')`);
        for (const month of ["2026-12-01", "2027-01-01", "2027-02-01", "2027-03-01"])
          await operator.all(`SELECT add_month('${table}', '${month}')`);
      }
      storage = await open();
      expect(await Promise.all(ids.map(totals))).toEqual(old);
      const before = made;
      await calls(90);
      await expectWholeChain();
      const parts = await operator.all<{ part: string; rows: number }>(
        "SELECT tableoid::regclass::text AS part, count(*) AS rows FROM usage_events GROUP BY 1 ORDER BY 1",
      );
      expect(parts.length).toBeGreaterThan(2);
      expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(made);

      const january = [Date.UTC(2027, 0, 3), Date.UTC(2027, 0, 20)];
      const plan = await operator.all<object>(
        `EXPLAIN SELECT * FROM usage_events WHERE account_id = '${ids[0]}' AND created_at BETWEEN ${january[0]} AND ${january[1]}`,
      );
      expect(JSON.stringify(plan)).toContain("usage_events_2027_01");
      expect(JSON.stringify(plan)).not.toMatch(/usage_events_(before|2026_12|2027_02)/);

      for (const table of ["usage_events", "usage_events_2026_12", "ledger_entries"])
        await expect(operator.all(`DELETE FROM ${table}`)).rejects.toThrow("append-only");
      await expect(
        createBooks(storage).record(sampleEvent(ids[0]!, `exec_${made}`, micro(1))),
      ).rejects.toThrow();

      const spent = await operator.all("SELECT * FROM ledger_entries ORDER BY seq");
      await operator.all(retention!);
      const left = await Promise.all(ids.map(totals));
      for (const [listed, summed] of left) expect(listed).toBe(summed);
      expect(left.reduce((sum, [listed]) => sum + listed, 0)).toBe(made - before);
      expect(await operator.all("SELECT * FROM ledger_entries ORDER BY seq")).toEqual(spent);
      await calls(3);
      await expectWholeChain();
    } finally {
      await storage.close();
      await operator.destroy();
      await remove();
    }
  },
);

interface Totals {
  total: number;
  summary: { total_count: number };
}

/** The load of the fullest part as a multiple of its even share, for accounts whose traffic is one over their rank. */
function fullestPart(parts: number, from: number): number {
  const random = numbersOf(from);
  const load = new Array<number>(parts).fill(0);
  for (let rank = 1; rank <= 10_000; rank += 1) load[Math.floor(random() * parts)]! += 1 / rank;
  return (Math.max(...load) * parts) / load.reduce((sum, count) => sum + count, 0);
}

test("accounts split by their hash fill the parts as unevenly as the page says", () => {
  // The page gives the middle half of these.
  const middle = (parts: number): number[] => {
    const all = Array.from({ length: 100 }, (_, index) => fullestPart(parts, index)).toSorted(
      (a, b) => a - b,
    );
    return [all[25]!, all[75]!].map((times) => Math.round(times * 10) / 10);
  };
  expect({ 4: middle(4), 16: middle(16) }).toEqual({ 4: [1.2, 1.4], 16: [2.3, 2.6] });
});
