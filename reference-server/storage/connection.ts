/** A value that can be bound to a `?`. */
export type Binding = string | number | null;

export type Dialect = "sqlite" | "postgres";

/** The writer's exclusive connection. Each method rejects with the driver's error, or `Interrupted`. */
export interface Connection {
  readonly dialect: Dialect;
  all<Row>(sql: string, bindings?: readonly Binding[]): Promise<Row[]>;
  /**
   * On SQLite it takes the write lock immediately, so data read inside cannot change before COMMIT. On Postgres it
   * locks nothing: the transaction itself locks the rows that must not change (storage/opening.ts).
   */
  begin(): Promise<void>;
  /** Also rejects if the database rolled the transaction back and still reported success. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Closes the connection, undoing uncommitted changes. Never rejects. */
  destroy(): Promise<void>;
}

/** Makes a text storable in Postgres: NUL and lone surrogates are replaced, as undecodable bytes are. */
export const storableText = (text: string): string => {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
};

/** The database cannot carry out the request at present, through no fault of the request; later it may. */
export class Unavailable extends Error {
  override name = "Unavailable";
  /** The database's own code of the error that caused it, for the log. */
  readonly code?: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const { code } = (options?.cause ?? {}) as { code?: string };
    if (code !== undefined) this.code = code;
  }
}

/**
 * The transaction was undone, or never begun, through no fault of its statements: a deadlock, a serialization failure,
 * a lost lock or connection. The same work in a new transaction can succeed.
 */
export class Interrupted extends Unavailable {
  override name = "Interrupted";
}

/**
 * A COMMIT was sent, and the database could not be asked whether it took effect. Its changes exist completely or not at
 * all.
 */
export class OutcomeUnknown extends Unavailable {
  override name = "OutcomeUnknown";
}

/** Another transaction held the lock of an account for longer than the allowed wait. */
export class Contended extends Error {
  override name = "Contended";
  readonly account: string;

  constructor(account: string) {
    super(`account ${account} is locked by another transaction`);
    this.account = account;
  }
}

/**
 * Waits until no other process is in the same section, and keeps others out until the transaction ends. On SQLite the
 * write lock does this already. Each schema has its own locks.
 */
export async function exclusively(connection: Connection, part: "migrate" | "run"): Promise<void> {
  if (connection.dialect === "sqlite") return;
  const key = part === "migrate" ? 4_201 : 4_202;
  await connection.all(`SELECT pg_advisory_xact_lock(${key}, hashtext(current_schema()))`);
}
