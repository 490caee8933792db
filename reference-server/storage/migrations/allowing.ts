import type { Dialect } from "../connection.ts";

/** A column of words, and its table as SQLite is to have it. */
export interface Widened {
  table: string;
  column: string;
  /** Every word that the column may hold. */
  words: readonly string[];
  /** The table's statement on SQLite, with the new CHECK. */
  create: string;
  /** Its indexes and triggers on SQLite. */
  further: readonly string[];
}

/**
 * The statements that let a column hold further words: Postgres replaces its constraint. SQLite cannot alter a CHECK, so
 * the table is built anew, filled and renamed, with its indexes and triggers; other tables must not refer to it.
 */
export const allowing = (
  dialect: Dialect,
  { table, column, words, create, further }: Widened,
): readonly string[] => {
  const check = `CHECK (${column} IN (${words.map((word) => `'${word}'`).join(", ")}))`;
  const constraint = `${table}_${column}_check`;
  if (dialect !== "sqlite")
    return [
      `ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`,
      `ALTER TABLE ${table} ADD CONSTRAINT ${constraint} ${check}`,
    ];
  if (!create.startsWith(`CREATE TABLE ${table} (`) || !create.includes(check))
    throw new RangeError(`the statement should create ${table} with ${check}`);
  return [
    // A temporary trigger of the writer names the table while it is away.
    "PRAGMA legacy_alter_table = ON",
    create.replace(`CREATE TABLE ${table} (`, `CREATE TABLE ${table}_next (`),
    `INSERT INTO ${table}_next SELECT * FROM ${table}`,
    `DROP TABLE ${table}`,
    `ALTER TABLE ${table}_next RENAME TO ${table}`,
    ...further,
    "PRAGMA legacy_alter_table = OFF",
  ];
};
