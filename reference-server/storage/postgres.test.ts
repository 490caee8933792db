import { describe, expect, test } from "vitest";
import { Interrupted } from "./connection.ts";
import { connectPostgres } from "./postgres.ts";
import { tested } from "./temporary.fixture.ts";

/*
 * Runs the tests that read or write the database on Postgres. Each of their databases is a schema of its own, dropped
 * afterwards.
 */
const url = process.env["TEST_DATABASE_URL"];
const where =
  url === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(url === undefined)(`on Postgres (${where})`, () => {
  tested.postgresUrl = url ?? null;
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
  describe("the writer", async () => void (await import("./writer.test.ts")));
  describe("upgrades", async () => void (await import("./upgrade.test.ts")));
  describe("the books", async () => void (await import("./books.test.ts")));
  describe("accounts", async () => void (await import("../accounts/accounts.test.ts")));
  describe("claims", async () => void (await import("../accounts/claim.test.ts")));
  describe("the usage audit", async () => void (await import("../audit/usage-audit.test.ts")));
  describe("random walks over HTTP", async () => void (await import("../account-walk.test.ts")));
  describe("the ledger", async () => void (await import("../audit/ledger.test.ts")));
});
