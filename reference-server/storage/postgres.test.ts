import { describe, expect, test } from "vitest";
import { Interrupted } from "./connection.ts";
import { connectPostgres, readConnections, readPostgres } from "./postgres.ts";
import { readRows } from "./reader.ts";

// What stores anything is tested on Postgres by the project of that name: tools/vitest.config.ts.
const url = process.env["TEST_DATABASE_URL"];
const where =
  url === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(url === undefined)(`on Postgres (${where})`, () => {
  test("a database that is gone, or takes no writes or users for now, is tried again", async () => {
    const at = (change: (address: URL) => void) => {
      const address = new URL(url!);
      change(address);
      return connectPostgres(address.href);
    };
    await expect(at((address) => (address.pathname = "/no_such_database"))).rejects.toThrow(Interrupted);
    await expect(at((address) => (address.username = "no_such_user"))).rejects.toThrow(Interrupted);
    const standby = await at((address) => {
      address.searchParams.set("options", "-c default_transaction_read_only=on");
    });
    await expect(standby.all("CREATE TABLE not_written (id INTEGER)")).rejects.toThrow(Interrupted);
    await standby.destroy();
  });

  test("who finds every read connection busy waits for a while only", async () => {
    const reader = await readPostgres(url!);
    try {
      const busy = await Promise.all(Array.from({ length: readConnections }, () => reader.transaction()));
      await expect(reader.raw("SELECT 1")).rejects.toThrow(Interrupted);
      await Promise.all(busy.map((one) => one.rollback()));
      expect(await readRows(reader, "SELECT 1 AS one", [])).toEqual([{ one: 1 }]);
    } finally {
      await reader.destroy();
    }
  });
});
