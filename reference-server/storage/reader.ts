import type { Knex } from "knex";

/** The methods of knex's client that run every query of its builders. */
interface Client {
  acquireConnection(): Promise<unknown>;
  _query(connection: unknown, query: unknown): Promise<unknown>;
}

const nothing = (): void => undefined;

/** knex would print lost connections outside the log; the caller sees them in the error. */
export const quietKnex = { warn: nothing, error: nothing, deprecate: nothing, debug: nothing };

/**
 * Read connections that translate errors with `name`, including those of the pool, so that an operation can distinguish
 * a lost database from a faulty statement. (knex has no hook for it; storage/postgres.test.ts pins the two methods.)
 */
export function translating(database: Knex, name: (error: unknown) => unknown): Knex {
  const client = database.client as Client;
  const { acquireConnection, _query } = client;
  const translated = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw name(error);
    }
  };
  client.acquireConnection = () => translated(acquireConnection.call(client));
  client._query = (connection, query) => translated(_query.call(client, connection, query));
  return database;
}

/** The rows of a statement; knex returns them on SQLite, and a result that contains them on Postgres. */
export async function readRows<Row>(
  database: Knex,
  sql: string,
  bindings: readonly (string | number)[],
): Promise<Row[]> {
  const answer = (await database.raw(sql, bindings)) as Row[] | { rows: Row[] };
  return Array.isArray(answer) ? answer : answer.rows;
}

/** Statements that read a row of each table that a Call needs: where they fail, no Call can succeed. */
export const probes: readonly string[] = [
  "accounts",
  "api_keys",
  "holds",
  "usage_events",
  "ledger_entries",
].map((table) => `SELECT * FROM ${table} LIMIT 1`);

/** Placeholders for some bindings. */
export const marks = (count: number): string => new Array<string>(count).fill("?").join(", ");
