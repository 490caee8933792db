import { afterAll, beforeAll, expect, test } from "vitest";
import { entryRow, type History, openHistory } from "./history.fixture.ts";
import { shownRows } from "./kept-rows.ts";
import { ledger } from "./ledger.ts";

const maxKept = 4_096;
const maxKeptPage = 100;
const longSeq = 6_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const written = (count: number) => numbers(count).map((seq) => entryRow(seq, { created_at: 0 }));

let history: History;
beforeAll(async () => {
  history = await openHistory();
  await history.write({ entries: written(maxKept + 1) });
  await history.write({ entries: [entryRow(longSeq, { description: "x".repeat(5_000) })] });
});
afterAll(() => history.close());

/** Reads entries by their numbers; returns the ids shown, and how many rows were read for that. */
async function read(seqs: number[], { details = false, database = history.database } = {}) {
  let rows = 0;
  const counting: typeof ledger = {
    ...ledger,
    rows(shown) {
      const { select, read: of } = ledger.rows(shown);
      return {
        select,
        read: (found) => {
          rows += found.length;
          return of(found);
        },
      };
    },
  };
  const shown = await shownRows(counting, { database, accountId: "mine" }, seqs, details);
  return { ids: shown.map(({ id }) => id), rows };
}

const idsOf = (seqs: readonly number[]): string[] => seqs.map((seq) => entryRow(seq).id);

test("shows rows in the given order, and reads each of them once", async () => {
  expect(await read([5, 3, 9])).toEqual({ ids: idsOf([5, 3, 9]), rows: 3 });
  expect(await read([9, 3])).toEqual({ ids: idsOf([9, 3]), rows: 0 });
  expect(await read([7, 3, 8])).toEqual({ ids: idsOf([7, 3, 8]), rows: 2 });
});

test("a transaction knows the rows of its database, another database does not", async () => {
  await read([1, 2]);
  await history.database.transaction(async (database) => {
    expect(await read([2, 1], { database })).toEqual({ ids: idsOf([2, 1]), rows: 0 });
  });
  const other = await openHistory();
  try {
    await other.write({ entries: written(2) });
    expect(await read([1, 2], { database: other.database })).toEqual({ ids: idsOf([1, 2]), rows: 2 });
  } finally {
    await other.close();
  }
});

test("does not keep details, a long row or a long page", async () => {
  const page = numbers(maxKeptPage + 1);
  for (let time = 0; time < 2; time += 1) {
    expect(await read([4], { details: true })).toEqual({ ids: idsOf([4]), rows: 1 });
    expect(await read([longSeq])).toEqual({ ids: idsOf([longSeq]), rows: 1 });
    expect(await read(page)).toEqual({ ids: idsOf(page), rows: page.length });
  }
});

test("keeps a bounded number of rows", async () => {
  const all = numbers(maxKept + 1);
  async function readAll(): Promise<number> {
    let rows = 0;
    for (let at = 0; at < all.length; at += maxKeptPage)
      rows += (await read(all.slice(at, at + maxKeptPage))).rows;
    return rows;
  }
  await readAll();
  expect(await readAll()).toBe(1);
});
