import type { Knex } from "knex";

/** Runs several reads on one state of the database, so that what they answer agrees while new rows arrive. */
export function inSnapshot<Answer>(
  database: Knex,
  read: (snapshot: Knex) => Promise<Answer>,
): Promise<Answer> {
  const sqlite = database.client.config.client === "sqlite3";
  return database.transaction(read, sqlite ? {} : { isolationLevel: "repeatable read", readOnly: true });
}

/**
 * Reads a page and its total; on one state of the database where a summary has to agree with them. Without, a total that
 * is read after its page counts what has arrived since, which nobody can tell from a later answer.
 */
export const readPage = <Answer>(
  database: Knex,
  { summary }: { summary?: boolean },
  read: (rows: Knex) => Promise<Answer>,
): Promise<Answer> => (summary ? inSnapshot(database, read) : read(database));
