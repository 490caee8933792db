import { statSync } from "node:fs";
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
import { translating } from "./reader.ts";

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

/** Errors of the file: locked for too long, unreadable or unwritable, or on a full disk. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** The driver's error, wrapped as `Unavailable` if the file is at fault. */
const unavailable = (error: unknown): unknown =>
  error instanceof Error && passing.test((error as NodeJS.ErrnoException).code ?? "")
    ? new Unavailable(`SQLite: ${error.message}`, { cause: error })
    : error;

/**
 * The pages of the log after which they are copied into the file: 32 MB. Most commits change the same few pages again:
 * with a longer log, each is copied once for many commits.
 */
const checkpointPages = 8_192;

const all = <Row>(database: Database, sql: string, bindings: readonly unknown[] = []): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    database.all<Row>(sql, bindings, (error, rows) =>
      error ? reject(unavailable(error) as Error) : resolve(rows),
    );
  });

/**
 * Opens the writer's connection. Acknowledged means on disk: WAL with synchronous=FULL syncs at each COMMIT.
 * @throws Error if sqlite3 is not installed or the file cannot be opened
 */
export async function connectSqlite(path: string): Promise<Connection> {
  const driver = await load();
  // Only the owner can read a new file, and the log and the index next to it. The driver reports what is wrong.
  await open(path, "a", 0o600).then(
    (file) => file.close(),
    () => undefined,
  );
  const database = await new Promise<Database>((resolve, reject) => {
    const opened = new driver.Database(path, (error) =>
      error
        ? reject(new Error(`database file ${path}: ${error.message}`, { cause: error }))
        : resolve(prepared(opened)),
    );
  });
  const run = async (sql: string): Promise<void> => void (await all(database, sql));
  try {
    await run(`PRAGMA busy_timeout = ${busyTimeout}`);
    await run("PRAGMA journal_mode = WAL");
    await run("PRAGMA synchronous = FULL");
    await run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    await run("PRAGMA foreign_keys = ON");
    await run("PRAGMA recursive_triggers = ON");
    await run("PRAGMA temp_store = MEMORY");
    await run(`PRAGMA cache_size = -${writeCache}`);
    for (const statement of batchView) await run(statement);
  } catch (error) {
    throw new Error(`database file ${path}: ${(error as Error).message}`, { cause: error });
  }
  const opened = statSync(path).ino;
  // SQLite would keep writing to a deleted file, and everything would be lost at the next start.
  const requireFile = (): void => {
    try {
      if (statSync(path).ino === opened) return;
    } catch {
      // As if it were another file.
    }
    throw new Unavailable(`SQLite: the database file ${path} is gone`);
  };
  return {
    dialect: "sqlite",
    all: (sql, bindings) => all(database, sql, bindings),
    async begin() {
      requireFile();
      await run("BEGIN IMMEDIATE");
    },
    commit: () => run("COMMIT"),
    rollback: () => run("ROLLBACK"),
    destroy: () => new Promise((resolve) => database.close(() => resolve())),
  };
}

/** The page cache of the writer in KiB. */
export const writeCache = 65_536;
/** The page cache of each read connection in KiB; the operating system caches the rest. */
export const readCache = 8_192;

/** With the writer's, as many as there are threads (cli/threads.ts), so that no read keeps the writer waiting. */
export const readConnections = 2;

/** Read connections besides the writer's; SQLite refuses writes through them. */
export async function readSqlite(path: string): Promise<Knex> {
  const driver = await load();
  const database = knex({
    client: "sqlite3",
    connection: { filename: path },
    useNullAsDefault: true,
    pool: {
      min: 0,
      max: readConnections,
      afterCreate: (database: Database, done: (error: Error | null) => void) => {
        prepared(database).exec(
          `PRAGMA busy_timeout = ${busyTimeout}; PRAGMA query_only = ON; PRAGMA cache_size = -${readCache}`,
          done,
        );
      },
    },
  });
  Object.assign(database.client as object, { driver });
  return translating(database, unavailable);
}
