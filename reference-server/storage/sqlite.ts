import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import knex from "knex";
import type { Knex } from "knex";
import type sqlite3 from "sqlite3";
import type { Database } from "sqlite3";
import { Unavailable } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { batchView } from "./effects.ts";
import { prepared } from "./prepared.ts";
import { probes, quietKnex, translating } from "./reader.ts";
import { createOnce, notePair, requireOwnLog, SqliteFiles } from "./sqlite-files.ts";

/** How long a statement waits for another process's write lock, in ms. */
const busyTimeout = 5_000;

/**
 * The driver of this process: the package sqlite3, or with `SQLITE_DRIVER=node` Node's own SQLite. All connections of a
 * process use the same one, since two copies of SQLite in one process would release each other's locks.
 */
const load = async (): Promise<typeof sqlite3> => {
  const wanted = process.env["SQLITE_DRIVER"] || "sqlite3";
  if (wanted === "node") return (await import("./node-sqlite.ts")).nodeSqlite as unknown as typeof sqlite3;
  if (wanted !== "sqlite3") throw new Error(`SQLITE_DRIVER must be sqlite3 or node, not ${wanted}`);
  try {
    return (await import("sqlite3")).default;
  } catch (cause) {
    throw new Error("a file: database needs the package sqlite3: run `npm install sqlite3` and start again", {
      cause,
    });
  }
};

/**
 * The path in a `file:` address, relative (`file:data.sqlite`) or absolute (`file:/var/data.sqlite`, `file:///var/…`).
 * @throws Error for any other address
 */
export function sqlitePath(url: string): string {
  if (!url.startsWith("file:") || url.length === "file:".length) {
    // The address is not repeated: however it is mistyped, it may hold a password.
    throw new Error(
      "DATABASE_URL must be file:PATH, such as file:data.sqlite, or postgres://user:password@host/database",
    );
  }
  return url.startsWith("file://") ? fileURLToPath(url) : url.slice("file:".length);
}

/**
 * Errors of the file: locked for too long, unreadable or unwritable, on a full disk, damaged, or without its tables, as a
 * file is that another process has emptied.
 */
const passing =
  /^SQLITE_(BUSY|LOCKED|PROTOCOL|NOMEM|FULL|IOERR|CANTOPEN|PERM|READONLY|CORRUPT|NOTADB|ERROR: no such table)/;

/** The driver's error, wrapped as `Unavailable` if the file is at fault. */
const unavailable = (error: unknown): unknown =>
  error instanceof Error && passing.test(error.message)
    ? new Unavailable(`SQLite: ${error.message}`, { cause: error })
    : error;

/**
 * The pages of the log after which they are copied into the file: 32 MB. Most commits change the same few pages again:
 * with a longer log, each is copied once for many commits.
 */
const checkpointPages = 8_192;

/** A database file that is held open: its log and its locks stay while connections come and go. */
export interface SqliteFile {
  /**
   * A connection for writing.
   * @throws Unavailable if the file or its log is gone, or cannot be opened at present
   */
  connect(): Promise<Connection>;
  /** Read connections besides the writer's; SQLite refuses writes through them. */
  read(): Promise<Knex>;
  /**
   * Reads from the file over a connection of its own, past every cache of a connection.
   * @throws Unavailable if it cannot be read
   */
  probe(): Promise<void>;
  /**
   * Closes the last connection. If the file is gone meanwhile, what it held is written to a new file first.
   * @returns the path of that file, if there is one
   */
  close(): Promise<string | null>;
}

/**
 * Opens the database file, creating it first if there is none. Only this may create it: every later connection opens what
 * is there, and must find the same file and the same log.
 * @throws Error if sqlite3 is not installed or the file cannot be opened
 */
export async function openSqlite(path: string): Promise<SqliteFile> {
  const driver = await load();
  try {
    await createOnce(path);
    requireOwnLog(path);
    const anchor = await openAnchor(driver, path);
    const files = new SqliteFiles(path);
    notePair(path);
    return {
      connect: () => connectWriter(driver, path, files),
      read: () => Promise.resolve(readPool(driver, path, files)),
      async probe() {
        const connection = await openReader(driver, path, files);
        try {
          for (const sql of probes) await all(connection, sql);
        } finally {
          await close(connection);
        }
      },
      async close() {
        try {
          return files.areInPlace() || !files.isFolderInPlace() ? null : await rescue(anchor, path);
        } finally {
          await close(anchor);
        }
      },
    };
  } catch (error) {
    throw new Error(`database file ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The connection that is open from the first to the last: one that has read in WAL mode holds a lock on the file until it
 * is closed, so that no process deletes the log.
 */
async function openAnchor(driver: typeof sqlite3, path: string): Promise<Database> {
  const anchor = await openConnection(driver, path);
  try {
    await exec(anchor, `PRAGMA busy_timeout = ${busyTimeout}; PRAGMA journal_mode = WAL`);
    await all(anchor, "SELECT count(*) FROM sqlite_schema");
    return anchor;
  } catch (error) {
    await close(anchor);
    throw error;
  }
}

/** A writer's connection by itself, which closes the file with it. */
export async function connectSqlite(path: string): Promise<Connection> {
  const file = await openSqlite(path);
  const connection = await file.connect().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  return {
    ...connection,
    async destroy() {
      await connection.destroy();
      await file.close();
    },
  };
}

/** Writes everything that a connection can read into a new file next to its own, for the operator to put in its place. */
async function rescue(anchor: Database, path: string): Promise<string> {
  const rescued = `${path}.rescued-${Date.now()}`;
  await (await open(rescued, "wx", 0o600)).close();
  await all(anchor, "VACUUM INTO ?", [rescued]);
  return rescued;
}

/** Acknowledged means on disk: WAL with synchronous=FULL syncs at each COMMIT. */
async function connectWriter(driver: typeof sqlite3, path: string, files: SqliteFiles): Promise<Connection> {
  files.requireInPlace();
  const database = await openConnection(driver, path);
  const run = async (sql: string): Promise<void> => void (await all(database, sql));
  try {
    await run(`PRAGMA busy_timeout = ${busyTimeout}`);
    await run("PRAGMA synchronous = FULL");
    await run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    await run("PRAGMA foreign_keys = ON");
    await run("PRAGMA recursive_triggers = ON");
    await run("PRAGMA temp_store = MEMORY");
    await run(`PRAGMA cache_size = -${writeCache}`);
    for (const statement of batchView) await run(statement);
    files.requireInPlace();
  } catch (error) {
    await close(database);
    throw error;
  }
  return {
    dialect: "sqlite",
    all: (sql, bindings) => all(database, sql, bindings),
    async begin() {
      files.requireInPlace();
      await run("BEGIN IMMEDIATE");
    },
    async commit() {
      await run("COMMIT");
      // What went into a file that is gone must not be acknowledged.
      files.requireInPlace();
    },
    rollback: () => run("ROLLBACK"),
    destroy: () => close(database),
  };
}

/** The page cache of the writer in KiB. */
export const writeCache = 65_536;
/** The page cache of each read connection in KiB; the operating system caches the rest. */
export const readCache = 8_192;

/** With the writer's, as many as there are threads (base/threads.ts), so that no read keeps the writer waiting. */
export const readConnections = 2;

function readPool(driver: typeof sqlite3, path: string, files: SqliteFiles): Knex {
  const database = knex({ client: "sqlite3", useNullAsDefault: true, log: quietKnex });
  // Without an address, knex loads no driver and creates no pool: the package sqlite3 need not be installed.
  const acquireRawConnection = () => openReader(driver, path, files);
  Object.assign(database.client as object, { driver, acquireRawConnection });
  database.initialize({ pool: { min: 0, max: readConnections } });
  return translating(database, unavailable);
}

async function openReader(driver: typeof sqlite3, path: string, files: SqliteFiles): Promise<Database> {
  files.requireInPlace();
  const connection = await openConnection(driver, path);
  try {
    await exec(
      connection,
      `PRAGMA busy_timeout = ${busyTimeout}; PRAGMA query_only = ON; PRAGMA cache_size = -${readCache}`,
    );
    await all(connection, "SELECT count(*) FROM sqlite_schema");
    files.requireInPlace();
    return connection;
  } catch (error) {
    await close(connection);
    throw error;
  }
}

/** Opens what is there: a connection never creates a file. */
const openConnection = (driver: typeof sqlite3, path: string): Promise<Database> =>
  new Promise((resolve, reject) => {
    const opened = new driver.Database(path, driver.OPEN_READWRITE | driver.OPEN_FULLMUTEX, (error) =>
      error ? reject(unavailable(error) as Error) : resolve(prepared(opened)),
    );
  });

const all = <Row>(database: Database, sql: string, bindings: readonly unknown[] = []): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    database.all<Row>(sql, bindings, (error, rows) =>
      error ? reject(unavailable(error) as Error) : resolve(rows),
    );
  });

const exec = (database: Database, sql: string): Promise<void> =>
  new Promise((resolve, reject) => {
    database.exec(sql, (error) => (error ? reject(unavailable(error) as Error) : resolve()));
  });

const close = (database: Database): Promise<void> =>
  new Promise((resolve) => database.close(() => resolve()));
