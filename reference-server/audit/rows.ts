import type { Knex } from "knex";

/**
 * Selects columns of a table by name, each an expression. SQLite gets them as one JSON text a row, since its driver
 * takes longer over ten values than over parsing all of a row; `rowsOf` reads either form.
 */
export function selectRows(
  table: string,
  columns: Readonly<Record<string, string>>,
): (database: Knex) => Knex.QueryBuilder {
  const list = Object.entries(columns);
  const asJson = `json_object(${list.map(([name, expression]) => `'${name}', ${expression}`).join(", ")}) AS json`;
  const asColumns = list.map(([name, expression]) => `${expression} AS ${name}`).join(", ");
  return (database) => {
    const { dialect } = database.client as { dialect: string };
    return database(table).select(database.raw(dialect === "sqlite3" ? asJson : asColumns));
  };
}

/** The rows that a query of `selectRows` found. */
export const rowsOf = <Row extends object>(found: readonly (Row | { json: string })[]): Row[] =>
  found.map((row) => ("json" in row ? (JSON.parse(row.json) as Row) : row));

/** Columns under their own names. */
export const plainColumns = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));
