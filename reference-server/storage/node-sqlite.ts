import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

type Told<Value = never> = (error: Error | null, value?: Value) => void;

/** The names that the package sqlite3 gives to errors of the file, by SQLite's primary result code. */
const errorCodes: Record<number, string> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
};

/**
 * The part of the package sqlite3 that the storage uses, on Node's own SQLite. Each statement is executed at once on
 * the thread that asks, which spares its way to another thread and back; meanwhile that thread does nothing else.
 */
class Database {
  readonly #database: DatabaseSync;

  constructor(path: string, ...others: [...mode: number[], opened: Told]) {
    const opened = others.at(-1) as Told;
    this.#database = new DatabaseSync(path, { open: false });
    later(opened, () => this.#database.open());
  }

  prepare(sql: string, prepared: Told): Statement {
    const statement = new Statement();
    later(prepared, () => (statement.prepared = this.#database.prepare(sql)));
    return statement;
  }

  all(sql: string, bindings: readonly unknown[] | undefined, told: Told<unknown[]>): void {
    let statement: StatementSync;
    try {
      statement = this.#database.prepare(sql);
    } catch (error) {
      told(named(error));
      return;
    }
    rowsOf(statement, bindings, told);
  }

  exec(sql: string, done: Told): void {
    later(done, () => this.#database.exec(sql));
  }

  close(closed: Told): void {
    later(closed, () => this.#database.close());
  }
}

class Statement {
  prepared: StatementSync | undefined;

  all(bindings: readonly unknown[] | undefined, told: Told<unknown[]>): void {
    rowsOf(this.prepared!, bindings, told);
  }

  /** Node releases a statement that nobody holds. */
  finalize(): void {
    this.prepared = undefined;
  }
}

function rowsOf(statement: StatementSync, bindings: readonly unknown[] = [], told: Told<unknown[]>): void {
  let rows: unknown[];
  try {
    rows = statement.all(...bindings.map(bound));
  } catch (error) {
    told(named(error));
    return;
  }
  told(null, rows);
}

/** Works at once, and tells of it after the caller has returned. */
function later(told: Told, work: () => unknown): void {
  let error: Error | null = null;
  try {
    work();
  } catch (thrown) {
    error = named(thrown);
  }
  queueMicrotask(() => told(error));
}

/** An error of Node's driver, with the code that the package sqlite3 would give it. */
function named(error: unknown): Error {
  const { errcode = 0 } = error as { errcode?: number };
  const code = errorCodes[errcode & 0xff];
  return Object.assign(error as Error, code !== undefined && { code });
}

/** Node binds every number as a floating-point one; the package sqlite3 binds whole ones of 32 bits as integers. */
function bound(value: unknown): SQLInputValue {
  if (typeof value === "number" && (value | 0) === value) return BigInt(value);
  return typeof value === "boolean" ? BigInt(value) : ((value ?? null) as SQLInputValue);
}

/** What the storage and knex use of the package sqlite3. */
export const nodeSqlite = { Database, OPEN_READWRITE: 2, OPEN_CREATE: 4 };
