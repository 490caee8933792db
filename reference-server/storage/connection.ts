/** What can be bound to a `?`. */
export type Binding = string | number | null;

export type Dialect = "sqlite" | "postgres";

/** One connection that nobody shares: the writer's. Each method rejects with the driver's error, or `Interrupted`. */
export interface Connection {
  readonly dialect: Dialect;
  all<Row>(sql: string, bindings?: readonly Binding[]): Promise<Row[]>;
  /**
   * On SQLite it takes the write lock at once, so that nothing read inside can change before COMMIT. On Postgres it
   * locks nothing: what must not change is locked by the transaction itself (storage/opening.ts).
   */
  begin(): Promise<void>;
  /** Rejects also where the database undid the transaction instead and reports success. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Ends the connection; what was not committed is undone. Never rejects. */
  destroy(): Promise<void>;
}

/** A text as Postgres can keep it: without NUL and halves of surrogate pairs, each replaced as undecodable bytes are. */
export const storableText = (text: string): string => {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
};

/** The database cannot do at present what it was asked, through no fault of what was asked; later it may. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/**
 * The transaction was undone, or never begun, through no fault of its statements: a deadlock, a serialization failure,
 * a lock or a connection that was lost. The same work in a new transaction can succeed.
 */
export class Interrupted extends Unavailable {
  override name = "Interrupted";
}

/** A COMMIT was sent, and whether it took effect could not be asked since. What it wrote is there whole, or not at all. */
export class OutcomeUnknown extends Unavailable {
  override name = "OutcomeUnknown";
}

/** Another transaction has locked an account for longer than this one was to wait. */
export class Contended extends Error {
  override name = "Contended";
  readonly account: string;

  constructor(account: string) {
    super(`account ${account} is locked by another transaction`);
    this.account = account;
  }
}

/**
 * Waits until no other process is in the same part, and keeps others out until the transaction ends. On SQLite the
 * write lock does that already. Each schema has locks of its own.
 */
export async function alone(connection: Connection, part: "migrate" | "run"): Promise<void> {
  if (connection.dialect === "sqlite") return;
  const key = part === "migrate" ? 4_201 : 4_202;
  await connection.all(`SELECT pg_advisory_xact_lock(${key}, hashtext(current_schema()))`);
}
