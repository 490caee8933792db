/** What can be bound to a `?`. */
export type Binding = string | number | null;

export type Dialect = "sqlite" | "postgres";

/** One connection that nobody shares: the writer's. Each method rejects with the driver's error. */
export interface Connection {
  readonly dialect: Dialect;
  all<Row>(sql: string, bindings?: readonly Binding[]): Promise<Row[]>;
  /** Takes the write lock at once, so that nothing read inside can change before COMMIT. */
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Ends the connection; what was not committed is undone. Never rejects. */
  destroy(): Promise<void>;
}
