import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Clock, Random } from "../parts.ts";
import type { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connectPostgres, isPostgres, readPostgres } from "./postgres.ts";
import { connectSqlite, openSqlite, sqlitePath } from "./sqlite.ts";
import { probes, readRows } from "./reader.ts";
import { createWriter } from "./writer.ts";
import type { Writer } from "./writer.ts";

export interface Storage {
  /** Read-only connections; each acknowledged write is visible through them. */
  database: Knex;
  writer: Writer;
  /**
   * Requires that the database can be read and written at present.
   * @throws NotReady with what it lacks
   */
  requireReady(): Promise<void>;
  /** Commits waiting commands, then closes all connections. Open holds are left to the next sweep. */
  close(): Promise<void>;
}

/** The database cannot serve a Call at present; the message says in what way, without any detail. */
export class NotReady extends Error {
  override name = "NotReady";
}

/** What storage is opened with. */
export interface Opening {
  url: string;
  clock: Clock;
  random: Random;
  log: Logger;
  /** How the writer connects; a test passes a way that fails. */
  connect?: Connecting;
  /** Whether rows on Postgres get the database's time rather than the clock's. */
  databaseTime?: boolean;
  onBatch?: (commands: number) => void;
}

/** How a writer connects, given the usual way. */
export type Connecting = (usual: () => Promise<Connection>) => Promise<Connection>;

/** An open database: connections to it come and go. */
interface OpenDatabase {
  /** A connection for writing; `patient` as for Postgres. */
  connect(given?: { patient: boolean }): Promise<Connection>;
  /** Read connections. */
  read(): Promise<Knex>;
  /**
   * Reads a row of each table that a Call needs, past every cache of our own.
   * @throws Unavailable if that fails
   */
  probe(database: Knex): Promise<void>;
  /** Once all connections are closed. @returns the file to which a file that is gone was rescued, if any */
  close(): Promise<string | null>;
}

/** Opens the database at an address, a file or a Postgres. */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  if (!isPostgres(url)) return openSqlite(sqlitePath(url));
  return {
    connect: (given) => connectPostgres(url, given),
    read: () => readPostgres(url),
    async probe(database) {
      for (const sql of probes) await readRows(database, sql, []);
    },
    close: () => Promise.resolve(null),
  };
}

/** A writer's connection by itself to the database at an address. */
export const connectDatabase = (url: string): Promise<Connection> =>
  isPostgres(url) ? connectPostgres(url) : connectSqlite(sqlitePath(url));

/**
 * Opens the database at `url` (`file:PATH`, created if it is missing, or `postgres://…`), and upgrades its schema to
 * date. Several processes can open one Postgres; the first creates the schema.
 * @throws Error with one sentence: an invalid address, a file that cannot be opened, a missing package, a newer schema
 */
export async function openStorage(parts: Opening): Promise<Storage> {
  const { url, log } = parts;
  const opened = await openDatabase(url);
  const { database, writer } = await connected(opened, parts).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  return {
    database,
    writer,
    async requireReady() {
      await opened.probe(database).catch((cause: unknown) => {
        throw new NotReady("The database cannot be read.", { cause });
      });
      try {
        writer.requireWriting();
      } catch (cause) {
        throw new NotReady("The database cannot be written.", { cause });
      }
    },
    async close() {
      await writer
        .run((tx) => tx.all("DELETE FROM processes WHERE owner = ?", [writer.owner]))
        .catch((error: unknown) =>
          log.warn({ err: error }, "the process could not sign off; its lease will run out"),
        );
      await writer.close();
      await database.destroy();
      const rescued = await opened.close();
      if (rescued !== null) {
        log.fatal(
          { rescued },
          "the database file or its log is gone; all that they held was written to a new file: put that in their place",
        );
      }
    },
  };
}

/** The connections to a database whose schema is brought up to date. */
async function connected(
  opened: OpenDatabase,
  parts: Opening,
): Promise<Pick<Storage, "database" | "writer">> {
  const { url, clock, random, log, onBatch, connect = (usual) => usual() } = parts;
  const first = await opened.connect({ patient: true });
  try {
    await migrate(first);
  } finally {
    await first.destroy();
  }
  const database = await opened.read();
  const writer = await createWriter({
    connect: () => connect(() => opened.connect()),
    clock,
    random,
    log,
    databaseTime: isPostgres(url) && parts.databaseTime === true,
    ...(onBatch && { onBatch }),
  });
  return { database, writer };
}
