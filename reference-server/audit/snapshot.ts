import type { Knex } from "knex";

/** Runs several reads on one snapshot of the database, so that their results agree while new rows arrive. */
export function inSnapshot<Answer>(
  database: Knex,
  read: (snapshot: Knex) => Promise<Answer>,
): Promise<Answer> {
  const sqlite = database.client.config.client === "sqlite3";
  return database.transaction(read, sqlite ? {} : { isolationLevel: "repeatable read", readOnly: true });
}
