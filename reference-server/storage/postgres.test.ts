import { describe } from "vitest";
import { tested } from "./temporary.fixture.ts";

/*
 * The tests of whatever reads or writes the database, on Postgres. Each database of theirs is a schema of its own,
 * dropped afterwards.
 */
const url = process.env["TEST_DATABASE_URL"];
const where =
  url === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(url === undefined)(`on Postgres (${where})`, () => {
  tested.postgresUrl = url ?? null;
  describe("the writer", async () => void (await import("./writer.test.ts")));
  describe("upgrades", async () => void (await import("./upgrade.test.ts")));
  describe("the books", async () => void (await import("./books.test.ts")));
  describe("accounts", async () => void (await import("../accounts/accounts.test.ts")));
  describe("claims", async () => void (await import("../accounts/claim.test.ts")));
  describe("the usage audit", async () => void (await import("../audit/usage-audit.test.ts")));
  describe("random walks over HTTP", async () => void (await import("../account-walk.test.ts")));
  describe("the ledger", async () => void (await import("../audit/ledger.test.ts")));
});
