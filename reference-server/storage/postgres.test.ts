import { describe } from "vitest";
import { tested } from "./temporary.ts";

/*
 * The tests of whatever reads or writes the database, on Postgres. Each database of theirs is a schema of its own,
 * dropped afterwards.
 */
const url = process.env["TEST_DATABASE_URL"];
const where =
  url === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(url === undefined)(`on Postgres (${where})`, () => {
  tested.postgresUrl = url ?? null;
  describe("the writer", () => import("./writer.test.ts"));
  describe("the books", () => import("../billing/books.test.ts"));
  describe("accounts", () => import("../accounts/accounts.test.ts"));
  describe("claims", () => import("../accounts/claim.test.ts"));
  describe("the usage audit", () => import("../audit/usage-audit.test.ts"));
  describe("the ledger", () => import("../audit/ledger.test.ts"));
});
