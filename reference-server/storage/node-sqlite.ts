import { pathToFileURL } from "node:url";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

type Done<Value = never> = (error: Error | null, value?: Value) => void;

/** The names that the package sqlite3 gives to errors of the file and of statements, by SQLite's primary result code. */
const errorCodes: Record<number, string> = {
  1: "SQLITE_ERROR",
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  26: "SQLITE_NOTADB",
};

/**
 * The part of the package sqlite3 that the storage uses, on Node's own SQLite. Each statement is executed directly on
 * the thread that asks, which saves a trip to another thread and back; meanwhile that thread does nothing else.
 */
class Database {
  readonly #database: DatabaseSync;

  constructor(path: string, ...others: [...mode: number[], opened: Done]) {
    const opened = others.at(-1) as Done;
    const [mode = flags.OPEN_CREATE] = others.slice(0, -1) as number[];
    this.#database = new DatabaseSync(mode & flags.OPEN_CREATE ? path : existing(path), { open: false });
    later(opened, () => this.#database.open());
  }

  prepare(sql: string, prepared: Done): Statement {
    const statement = new Statement();
    later(prepared, () => (statement.prepared = this.#database.prepare(sql)));
    return statement;
  }

  all(sql: string, bindings: readonly unknown[] | undefined, done: Done<unknown[]>): void {
    let statement: StatementSync;
    try {
      statement = this.#database.prepare(sql);
    } catch (error) {
      done(named(error));
      return;
    }
    rowsOf(statement, bindings, done);
  }

  exec(sql: string, done: Done): void {
    later(done, () => this.#database.exec(sql));
  }

  close(closed: Done): void {
    later(closed, () => this.#database.close());
  }
}

class Statement {
  prepared: StatementSync | undefined;

  all(bindings: readonly unknown[] | undefined, done: Done<unknown[]>): void {
    rowsOf(this.prepared!, bindings, done);
  }

  /** Node releases a statement without references. */
  finalize(): void {
    this.prepared = undefined;
  }
}

function rowsOf(statement: StatementSync, bindings: readonly unknown[] = [], done: Done<unknown[]>): void {
  let rows: unknown[];
  try {
    rows = statement.all(...bindings.map(bound));
  } catch (error) {
    done(named(error));
    return;
  }
  done(null, rows);
}

/** Works immediately, and reports the outcome after the caller has returned. */
function later(done: Done, work: () => unknown): void {
  let error: Error | null = null;
  try {
    work();
  } catch (thrown) {
    error = named(thrown);
  }
  queueMicrotask(() => done(error));
}

/** An error of Node's driver, with the code and the message that the package sqlite3 would give it. */
function named(error: unknown): Error {
  const { errcode = 0, message } = error as Error & { errcode?: number };
  const code = errorCodes[errcode & 0xff];
  return Object.assign(error as Error, code !== undefined && { code, message: `${code}: ${message}` });
}

/** Node binds every number as a floating-point one; the package sqlite3 binds whole ones of 32 bits as integers. */
function bound(value: unknown): SQLInputValue {
  if (typeof value === "number" && (value | 0) === value) return BigInt(value);
  return typeof value === "boolean" ? BigInt(value) : ((value ?? null) as SQLInputValue);
}

/** The address by which SQLite opens a file only if there is one. */
function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set("mode", "rw");
  return address;
}

const flags = { OPEN_READWRITE: 0x2, OPEN_CREATE: 0x4, OPEN_FULLMUTEX: 0x1_0000 };

/** The parts of the package sqlite3 that the storage and knex use. */
export const nodeSqlite = { Database, ...flags };
