import type { Book } from "../billing/book.ts";
import type { Binding } from "./connection.ts";

/** A money command: the data it needs, and its function. */
export interface BookCommand<T> {
  accounts: readonly string[];
  executions: readonly string[];
  apply(book: Book): T;
}

/** The batch as a `run` sees it. */
export interface Transaction {
  /** The time of this commit in epoch ms. */
  readonly now: number;
  /** Runs any statement, with `?` for bindings. Returns its rows (including those of RETURNING). */
  all<Row>(sql: string, bindings?: readonly Binding[]): Promise<Row[]>;
  /** Adds a money command to the same commit. If it is refused, all of this `run` is undone and rejects. */
  book<T>(command: BookCommand<T>): void;
}
