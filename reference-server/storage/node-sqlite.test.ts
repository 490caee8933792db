import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sqlite3 from "sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { nodeSqlite } from "./node-sqlite.ts";
import { connectSqlite } from "./sqlite.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "node-sqlite-"));
});

afterEach(async () => {
  // Files share this process, and code before the first test of the next one would see the variable.
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

type Driver = Pick<typeof sqlite3, "Database">;
const drivers: Record<string, Driver> = { sqlite3, node: nodeSqlite as unknown as Driver };

/** Rows of a statement, or the code of its error. */
async function asked(driver: Driver, path: string, sql: string, bindings: unknown[]): Promise<unknown> {
  const database = await new Promise<sqlite3.Database | Error>((resolve) => {
    const opened = new driver.Database(path, (error) => resolve(error ?? opened));
  });
  if (database instanceof Error) return (database as NodeJS.ErrnoException).code;
  const answer = await new Promise((resolve) => {
    database.all(sql, bindings, (error: NodeJS.ErrnoException | null, rows) =>
      resolve(error ? error.code : rows),
    );
  });
  await new Promise((resolve) => database.close(resolve));
  return answer;
}

const values = [1, -7, 2 ** 31, 1_790_000_000_000, 0.5, "text", "", null];

it.each([
  { sql: "SELECT ? + 0 AS value", bindings: values },
  { sql: "SELECT typeof(?) AS value", bindings: values },
  { sql: "SELECT ? / 2 AS value", bindings: values },
  { sql: "SELECT json_array(?) AS value", bindings: values },
])("binds values as the package sqlite3 does: $sql", async ({ sql, bindings }) => {
  for (const value of bindings) {
    const [packaged, node] = await Promise.all(
      Object.values(drivers).map((driver) => asked(driver, ":memory:", sql, [value])),
    );
    expect(node, String(value)).toEqual(packaged);
  }
});

it.each(Object.entries(drivers))(
  "names the error of a file that cannot be opened (%s)",
  async (_, driver) => {
    expect(await asked(driver, join(folder, "missing", "data.sqlite"), "SELECT 1", [])).toBe(
      "SQLITE_CANTOPEN",
    );
  },
);

it("refuses an unknown driver by name", async () => {
  vi.stubEnv("SQLITE_DRIVER", "better");
  await expect(connectSqlite(join(folder, "data.sqlite"))).rejects.toThrow(
    "SQLITE_DRIVER must be sqlite3 or node, not better",
  );
});
