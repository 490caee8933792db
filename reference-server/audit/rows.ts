import type { Knex } from "knex";
import { jsonColumns, type JsonColumn } from "../records.ts";
import type { Range } from "./hours.ts";

/** A JSON object with arbitrary fields. */
export type JsonObject = Record<string, unknown>;

/** A row as it is read: its JSON columns hold objects. */
export type Read<Row> = {
  [Column in keyof Row]: Column extends JsonColumn ? JsonObject | null : Row[Column];
};

/** The rows of a table, with the same columns each. */
export interface Rows<Row> {
  select(database: Knex): Knex.QueryBuilder;
  /** The rows found by a query that began with `select`. */
  read(found: readonly object[]): Row[];
}

/** The account whose rows are read, and the database. */
export interface AccountScope {
  database: Knex;
  accountId: string;
}

/** Narrows a query to an account and a time range. */
export function whereInScope(
  rows: Knex.QueryBuilder,
  accountId: string,
  { from, to }: Range,
): Knex.QueryBuilder {
  rows.where("account_id", accountId);
  if (from !== null) rows.where("created_at", ">=", from);
  if (to !== null) rows.where("created_at", "<=", to);
  return rows;
}

const isJson = (name: string): boolean => (jsonColumns as readonly string[]).includes(name);

/**
 * Reads columns of a table by name, each an expression. SQLite returns a row as one JSON list, since its driver is
 * slower with ten values than with parsing a whole row; JSON columns are part of the list as they are stored.
 */
export function rowsOf<Row extends object>(
  table: string,
  columns: Readonly<Record<string, string>>,
): Rows<Row> {
  const names = Object.keys(columns);
  const plain = names.filter((name) => !isJson(name));
  const json = names.filter(isJson);
  const objects = json.map((name) => `',' || coalesce(${columns[name]}, 'null') || `);
  const asList = `rtrim(json_array(${plain.map((name) => columns[name]).join(", ")}), ']') || ${objects.join("")}']' AS list`;
  const asColumns = names.map((name) => `${columns[name]} AS ${name}`).join(", ");
  const inList = [...plain, ...json];
  // An object that gets its names one by one is slow to read.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(inList.map((name) => [name, null])))) as object;

  const fromList = (text: string): Row => {
    const values = JSON.parse(text) as unknown[];
    const row: Record<string, unknown> = { ...blank };
    for (let at = 0; at < inList.length; at += 1) row[inList[at]!] = values[at];
    return row as Row;
  };
  const fromColumns = (found: Record<string, string | null>): Row =>
    ({
      ...found,
      ...Object.fromEntries(json.map((name) => [name, JSON.parse(found[name] ?? "null") as unknown])),
    }) as Row;

  return {
    select(database) {
      const { dialect } = database.client as { dialect: string };
      return database(table).select(database.raw(dialect === "sqlite3" ? asList : asColumns));
    },
    read: (found) =>
      found.map((row) =>
        "list" in row ? fromList(row.list as string) : fromColumns(row as Record<string, string | null>),
      ),
  };
}

/** Columns under their own names. */
export const plainColumns = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));
