import type { Knex } from "knex";

/** What of knex's client runs every query of its builders. */
interface Client {
  acquireConnection(): Promise<unknown>;
  _query(connection: unknown, query: unknown): Promise<unknown>;
}

const nothing = (): void => undefined;

/** knex would print lost connections beside the log; who asked is told of them by the error. */
export const quietKnex = { warn: nothing, error: nothing, deprecate: nothing, debug: nothing };

/**
 * Read connections whose errors are told by `name`, those of the pool included: an operation can tell a database that is
 * gone from a statement that is wrong. (knex has no hook for it; storage/postgres.test.ts holds the two methods.)
 */
export function telling(database: Knex, name: (error: unknown) => unknown): Knex {
  const client = database.client as Client;
  const { acquireConnection, _query } = client;
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw name(error);
    }
  };
  client.acquireConnection = () => told(acquireConnection.call(client));
  client._query = (connection, query) => told(_query.call(client, connection, query));
  return database;
}
