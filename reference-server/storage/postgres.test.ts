import { describe, expect, test } from "vitest";
import { pino } from "pino";
import { exclusively, Interrupted } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { openStorage } from "./open.ts";
import { connectPostgres, readConnections, readPostgres } from "./postgres.ts";
import { readRows } from "./reader.ts";
import { heldClock, systemRandom, temporarySchema } from "./temporary.fixture.ts";

// Tests that store anything run on Postgres in the project of that name: tools/vitest.config.ts.
const url = process.env["TEST_DATABASE_URL"];
const where =
  url === undefined ? "skipped: TEST_DATABASE_URL=postgres://… is not set" : "at TEST_DATABASE_URL";

describe.skipIf(url === undefined)(`on Postgres (${where})`, () => {
  test("a database that is gone, or takes no writes or users at present, is tried again", async () => {
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

  test("a change of the schema may take longer than any statement, and so may the wait for it", async () => {
    const schema = await temporarySchema(url!);
    const hurried = `${schema.url}&statement_timeout=200&query_timeout=300`;
    const changing = await connectPostgres(schema.url);
    await changing.begin();
    await exclusively(changing, "migrate");
    const opening = openStorage({
      url: hurried,
      connect: () => connectPostgres(schema.url),
      clock: heldClock(),
      random: systemRandom,
      log: pino({ level: "silent" }),
    });
    void opening.catch(() => undefined);
    for (const limit of ["statement", "query"] as const) {
      const other = await connectPostgres(hurried);
      if (limit === "query") await other.all("SET statement_timeout = 0");
      await expect(migrate(other)).rejects.toThrow(
        `${limit === "query" ? "Query read" : "statement"} timeout`,
      );
      await other.destroy();
    }
    await changing.commit();
    await changing.destroy();
    await (await opening).close();
    await schema.remove();
  });

  test("a read that finds every connection busy waits for a limited time", async () => {
    const reader = await readPostgres(url!);
    try {
      const busy = await Promise.all(Array.from({ length: readConnections }, () => reader.transaction()));
      await expect(reader.raw("SELECT 1")).rejects.toThrow(Interrupted);
      await Promise.all(busy.map((transaction) => transaction.rollback()));
      expect(await readRows(reader, "SELECT 1 AS one", [])).toEqual([{ one: 1 }]);
    } finally {
      await reader.destroy();
    }
  });
});
