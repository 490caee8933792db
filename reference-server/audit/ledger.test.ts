import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryTypes, ledgerScopeEntryTypes, type EntryType } from "../../generated/contract.ts";
import { exportLedger } from "../operations/export-ledger.ts";
import { getLedgerEntry } from "../operations/get-ledger-entry.ts";
import { getLedgerReadiness } from "../operations/get-ledger-readiness.ts";
import { listLedger } from "../operations/list-ledger.ts";
import { listSettlements } from "../operations/list-settlements.ts";
import type { LedgerRow } from "../records.ts";
import { csvLine } from "./csv.ts";
import { contextOf, entryRow, eventRow, type History, openHistory, requestOf } from "./history.fixture.ts";
import { ledgerColumns } from "./ledger-entry.ts";
import type { LedgerQuery } from "./ledger-filter.ts";
import { timestamp } from "./window.ts";

const begin = Date.parse("2026-11-15T21:00:00Z");
const now = Date.parse("2026-11-20T12:00:00Z");
const runs = { seed: 20_261_120, numRuns: 200 };
const types: readonly EntryType[] = [
  ...entryTypes.filter((type) => type !== "grant_invitation_reward"),
  "consume_tool_execute",
];

/** Entries of all types over four days, spaced by twenty minutes and a prime number of milliseconds. */
const someEntries = (count: number, account: string, firstSeq: number): LedgerRow[] =>
  Array.from({ length: count }, (_, index) => {
    const type = types[(index * 5) % types.length]!;
    const size = [1, 100_000, 2_500_000, 5_000_000][(index * 7) % 4]!;
    return entryRow(firstSeq + index, {
      account_id: account,
      entry_type: type,
      amount: type.startsWith("grant") ? size : -size,
      created_at: begin + Math.floor(index / 2) * 2_399_999,
    });
  });

const mine = someEntries(200, "mine", 1);
const theirs = someEntries(20, "theirs", 1_000);
let history: History;
beforeAll(async () => {
  history = await openHistory();
  const settled = mine[2]!;
  await history.write({
    entries: [...mine, ...theirs],
    events: [eventRow(settled.seq, { created_at: settled.created_at })],
  });
});
afterAll(() => history.close());

function matches(row: LedgerRow, query: LedgerQuery): boolean {
  const size = Math.abs(row.amount) / 1_000_000;
  return (
    (query.start_date === undefined || row.created_at >= Date.parse(query.start_date)) &&
    (query.end_date === undefined || row.created_at <= Date.parse(query.end_date)) &&
    (query.entry_type === undefined || row.entry_type === query.entry_type) &&
    (query.scope === undefined ||
      (ledgerScopeEntryTypes[query.scope] as readonly EntryType[]).includes(row.entry_type)) &&
    (query.direction !== "consume" || row.amount < 0) &&
    (query.direction !== "grant" || row.amount > 0) &&
    (query.min_credits === undefined || size >= query.min_credits) &&
    (query.max_credits === undefined || size <= query.max_credits)
  );
}

const expected = (query: LedgerQuery) =>
  mine.filter((row) => matches(row, query)).toSorted((a, b) => b.seq - a.seq);

const moment = fc
  .oneof(
    fc.nat(5 * 86_400_000).map((offset) => begin + offset),
    fc.constantFrom(...mine.map((row) => row.created_at)),
    fc.nat(120).map((hours) => begin + hours * 3_600_000),
  )
  .map(timestamp);
const queries: fc.Arbitrary<LedgerQuery> = fc.record(
  {
    start_date: moment,
    end_date: moment,
    entry_type: fc.constantFrom(...types),
    scope: fc.constant("account_history"),
    direction: fc.constantFrom("consume", "grant", "any"),
    min_credits: fc.constantFrom(0, 0.1, 0.0000005, 2.5),
    max_credits: fc.constantFrom(2.5, 2.50000001, 5, 1e300),
  },
  { requiredKeys: [] },
);

async function list(query: object, account = "mine") {
  const answer = await listLedger(requestOf(account, query), contextOf(history.database, now));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.body.data;
}

const figures = (rows: LedgerRow[]) => {
  const total = (sign: number) =>
    rows.reduce((sum, row) => sum + Math.max(0, sign * row.amount), 0) / 1_000_000;
  return {
    consume_count: rows.filter((row) => row.amount < 0).length,
    grant_count: rows.filter((row) => row.amount > 0).length,
    consumed_credits: total(-1),
    granted_credits: total(1),
    net_amount_credits: rows.reduce((sum, row) => sum + row.amount, 0) / 1_000_000,
  };
};

describe("the ledger", () => {
  test("selects what the filters say, in any combination", async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 1, max: 3 }), async (query, page) => {
        const data = await list({ ...query, page, page_size: 30 });
        const rows = expected(query);
        expect(data.total).toBe(rows.length);
        expect(data.items.map(({ id }) => id)).toEqual(
          rows.slice((page - 1) * 30, page * 30).map(({ id }) => id),
        );
      }),
      runs,
    );
  });

  test("sums up what a scan of the entries sums up", async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.constantFrom("hour", "day", "week", undefined), async (query, bucket) => {
        const { summary } = await list({ ...query, summary: true, bucket, limit: 4 });
        const none = query.start_date === undefined && query.end_date === undefined;
        const rows = expected({ ...query, ...(none && { start_date: timestamp(now - 86_400_000) }) });
        expect(summary).toMatchObject({ total_entries: rows.length, ...figures(rows) });
        const largest = rows
          .toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount) || b.seq - a.seq)
          .slice(0, 4);
        expect(summary?.max_amount_items).toMatchObject(largest.map(({ id }) => ({ id })));
        const buckets = summary?.buckets ?? [];
        for (const [index, each] of buckets.entries()) {
          const [from, to] = [
            Date.parse(each.bucket_start),
            Date.parse(buckets[index + 1]?.bucket_start ?? "9999-12-31"),
          ];
          const inside = rows.filter((row) => row.created_at >= from && row.created_at < to);
          expect(each).toEqual({
            bucket_start: each.bucket_start,
            entry_count: inside.length,
            ...figures(inside),
          });
        }
        expect(buckets.reduce((total, each) => total + each.entry_count, 0)).toBe(rows.length);
      }),
      runs,
    );
  });

  test("shows balances and metadata as objects", async () => {
    expect((await list({ limit: 1 })).items[0]).toMatchObject({
      balance_before: { total_available_credits: 1000 },
      ledger_metadata: { categories: { purchased: -2.5 } },
    });
  });

  test("is exported as the list of account history, unless a scope says otherwise", async () => {
    const { items } = await list({ scope: "account_history", page_size: 500 });
    const answer = await exportLedger(requestOf("mine"), contextOf(history.database, now));
    if (!("stream" in answer)) throw new Error(JSON.stringify(answer));
    let text = "";
    for await (const chunk of answer.stream) text += chunk;
    const lines = items.map((item) => csvLine(ledgerColumns.map((column) => item[column])));
    expect(text).toBe(csvLine(ledgerColumns) + lines.join(""));
    expect(ledgerColumns.toSorted()).toEqual(Object.keys(items[0]!).toSorted());
  });

  test("keeps each account's entries to itself", async () => {
    const foreign = theirs[0]!.id;
    const context = contextOf(history.database, now);
    await expect(getLedgerEntry(requestOf("mine", {}, { entry_id: foreign }), context)).rejects.toMatchObject(
      {
        status: 404,
      },
    );
    const own = await getLedgerEntry(requestOf("theirs", {}, { entry_id: foreign }), context);
    expect(own).toMatchObject({ status: 200, body: { data: { id: foreign } } });
    expect((await list({}, "theirs")).total).toBe(20);
  });
});

test("settlement history walks account history once, with the event's text for people", async () => {
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const answer = await listSettlements(
      requestOf("mine", { page_size: 9, cursor }),
      contextOf(history.database, now),
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer));
    seen.push(...answer.body.data.items);
    cursor = answer.body.data.next_cursor ?? undefined;
  } while (cursor);
  const rows = expected({ scope: "account_history" });
  expect(seen).toMatchObject(rows.map(({ id, amount }) => ({ id, amount_credits: amount / 1_000_000 })));
  expect(seen).toContainEqual(
    expect.objectContaining({
      id: mine[2]!.id,
      display_target: "Current weather",
      billing_snapshot_status: "captured",
    }),
  );
});

test("readiness distinguishes events without entries from entries without events", async () => {
  const own = await openHistory();
  const readiness = async (query: object = {}) => {
    const answer = await getLedgerReadiness(requestOf("mine", query), contextOf(own.database, now));
    if (answer.status !== 200) throw new Error(JSON.stringify(answer));
    return answer.body.data;
  };
  await own.write({ events: [eventRow(1)], entries: [entryRow(1)] });
  expect(await readiness()).toMatchObject({
    ready: true,
    recommended_read_mode: "ledger",
    legacy_total_amount_credits: -2.5,
    ledger_total_amount_credits: -2.5,
    start_date: null,
  });
  await own.write({ events: [eventRow(2, { credits_ledger_entry_id: null })], entries: [entryRow(3)] });
  const data = await readiness();
  expect(data).toMatchObject({ ready: false, recommended_read_mode: "legacy", legacy_total_count: 2 });
  expect(data.entities).toContainEqual(
    expect.objectContaining({
      entity_type: "consume_tool_execute",
      missing_count: 1,
      extra_count: 1,
      ready: false,
    }),
  );
  expect(await readiness({ end_date: timestamp(3_600_000) })).toMatchObject({
    ready: true,
    ledger_total_count: 1,
  });
  await own.close();
});
