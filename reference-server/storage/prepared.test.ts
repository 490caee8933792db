import sqlite3 from "sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { prepared } from "./prepared.ts";

let database: sqlite3.Database;

const all = (sql: string, bindings: unknown[] = []): Promise<unknown[]> =>
  new Promise((resolve, reject) => {
    database.all(sql, bindings, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

const close = (): Promise<void> =>
  new Promise((resolve, reject) => database.close((error) => (error ? reject(error) : resolve())));

beforeEach(async () => {
  database = prepared(new sqlite3.Database(":memory:"));
  await all("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
});

afterEach(async () => {
  if ((database as unknown as { open: boolean }).open) await close();
});

it("prepares a text once, and answers each question with its own rows", async () => {
  const prepare = vi.spyOn(database, "prepare");
  const insert = "INSERT INTO notes (id, text) VALUES (?, ?)";
  await Promise.all([1, 2, 3].map((id) => all(insert, [id, `note ${id}`])));
  const found = await Promise.all([3, 1, 2].map((id) => all("SELECT text FROM notes WHERE id = ?", [id])));
  expect(found).toEqual([[{ text: "note 3" }], [{ text: "note 1" }], [{ text: "note 2" }]]);
  expect(prepare).toHaveBeenCalledTimes(2);
});

it("reports an error, and asks again the next time", async () => {
  await expect(all("SELECT * FROM later")).rejects.toThrow("no such table");
  await all("CREATE TABLE later (id INTEGER)");
  expect(await all("SELECT * FROM later")).toEqual([]);
  await all("INSERT INTO notes VALUES (?, ?)", [1, "one"]);
  await expect(all("INSERT INTO notes VALUES (?, ?)", [1, "again"])).rejects.toThrow("UNIQUE");
  await all("INSERT INTO notes VALUES (?, ?)", [2, "two"]);
  expect(await all("SELECT count(*) AS notes FROM notes")).toEqual([{ notes: 2 }]);
});

it("keeps a bounded number of texts, and only short ones", async () => {
  const prepare = vi.spyOn(database, "prepare");
  const texts = Array.from({ length: 300 }, (_, number) => `SELECT ${number} AS number`);
  for (const text of [...texts, texts[0]!]) await all(text);
  expect(prepare).toHaveBeenCalledTimes(301);
  const long = `SELECT 1 AS one -- ${"long ".repeat(3_000)}`;
  expect(await all(long)).toEqual([{ one: 1 }]);
  expect(prepare).toHaveBeenCalledTimes(301);
});

it("closes a connection that has texts prepared", async () => {
  await all("SELECT * FROM notes");
  await close();
  await expect(all("SELECT * FROM notes")).rejects.toThrow();
});
