import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Clock, Random } from "../parts.ts";
import type { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connectPostgres, isPostgres, readPostgres } from "./postgres.ts";
import { connectSqlite, readSqlite, sqlitePath } from "./sqlite.ts";
import { createWriter } from "./writer.ts";
import type { Writer } from "./writer.ts";

export interface Storage {
  /** Read-only connections; each acknowledged write is visible through them. */
  database: Knex;
  writer: Writer;
  /** Commits waiting commands, then closes all connections. Open holds are left to the next sweep. */
  close(): Promise<void>;
}

/** A writer's connection to the database at an address; `patient` as for Postgres. */
export const connectDatabase = (url: string, given?: { patient: boolean }): Promise<Connection> =>
  isPostgres(url) ? connectPostgres(url, given) : connectSqlite(sqlitePath(url));

/** Read connections to the database at an address. */
export const readDatabase = (url: string): Promise<Knex> =>
  isPostgres(url) ? readPostgres(url) : readSqlite(sqlitePath(url));

/**
 * Opens the database at `url` (`file:PATH`, created if it is missing, or `postgres://…`), and brings its schema up to
 * date. Several processes can open one Postgres; the first creates the schema.
 * @param parts.connect how the writer connects to a file path or an address; a test passes one that fails
 * @param parts.databaseTime whether rows on Postgres get the database's time rather than the clock's
 * @throws Error with one sentence: an invalid address, a file that cannot be opened, a missing package, a newer schema
 */
export async function openStorage(parts: {
  url: string;
  clock: Clock;
  random: Random;
  log: Logger;
  connect?: (address: string) => Promise<Connection>;
  databaseTime?: boolean;
  onBatch?: (commands: number) => void;
}): Promise<Storage> {
  const { url, clock, random, log, onBatch } = parts;
  const postgres = isPostgres(url);
  const address = postgres ? url : sqlitePath(url);
  const connect = parts.connect ?? (postgres ? connectPostgres : connectSqlite);
  const first = await connectDatabase(url, { patient: true });
  try {
    await migrate(first);
  } finally {
    await first.destroy();
  }
  const database = await readDatabase(url);
  const writer = await createWriter({
    connect: () => connect(address),
    clock,
    random,
    log,
    databaseTime: postgres && parts.databaseTime === true,
    ...(onBatch && { onBatch }),
  });
  return {
    database,
    writer,
    async close() {
      await writer
        .run((tx) => tx.all("DELETE FROM processes WHERE owner = ?", [writer.owner]))
        .catch((error: unknown) =>
          log.warn({ err: error }, "the process could not sign off; its lease will run out"),
        );
      await writer.close();
      await database.destroy();
    },
  };
}
