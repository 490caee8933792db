import { describe, expect, test } from "vitest";
import { Interrupted } from "./connection.ts";
import { connectPostgres } from "./postgres.ts";

// What stores anything is tested on Postgres by the project of that name: vitest.config.ts.
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
});
