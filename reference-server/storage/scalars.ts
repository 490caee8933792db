import type { Knex } from "knex";
import { gathered, padded } from "./gathered.ts";
import { readRows } from "./reader.ts";

/** A subquery for one value, in parentheses, and its bindings. */
export interface Scalar {
  sql: string;
  bindings: readonly (string | number)[];
}

/** Reads one value by a statement of its own. */
export const readScalar = async (database: Knex, scalar: Scalar): Promise<unknown> =>
  (await readScalars(database, scalar.sql, [scalar.bindings]))[0];

/** By database: reads values together, each named by its text and its bindings as JSON. */
const together = new WeakMap<Knex, (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>>();

/**
 * Reads one value, together with others of the same text that are asked for meanwhile: a statement's way to a thread
 * and back takes longer than a small read. All of them wait for the slowest, so none may take long.
 */
export async function readScalarTogether(database: Knex, { sql, bindings }: Scalar): Promise<unknown> {
  let read = together.get(database);
  if (read === undefined) together.set(database, (read = gathered((keys) => readByKey(database, keys))));
  const key = JSON.stringify([sql, bindings]);
  return (await read([key])).get(key);
}

/** The most values that one statement reads, so that its text is kept prepared. */
const mostTogether = 8;

async function readByKey(database: Knex, keys: readonly string[]): Promise<Map<string, unknown>> {
  const asked = keys.map((key) => ({ key, scalar: JSON.parse(key) as [string, Scalar["bindings"]] }));
  const found = new Map<string, unknown>();
  const readSome = async (sql: string, some: typeof asked): Promise<void> => {
    const values = await readScalars(
      database,
      sql,
      some.map(({ scalar: [, bindings] }) => bindings),
    );
    for (const [at, { key }] of some.entries()) found.set(key, values[at]);
  };
  const reads: Promise<void>[] = [];
  for (const [sql, same] of Map.groupBy(asked, ({ scalar: [text] }) => text)) {
    for (let at = 0; at < same.length; at += mostTogether) {
      reads.push(readSome(sql, same.slice(at, at + mostTogether)));
    }
  }
  await Promise.all(reads);
  return found;
}

/** The values of one subquery for each of some bindings. */
async function readScalars(
  database: Knex,
  sql: string,
  each: readonly Scalar["bindings"][],
): Promise<unknown[]> {
  const columns = padded(each).map((bindings, at) => ({ name: `value${at}`, bindings }));
  const [row] = await readRows<Record<string, unknown>>(
    database,
    `SELECT ${columns.map(({ name }) => `${sql} AS ${name}`).join(", ")}`,
    columns.flatMap(({ bindings }) => bindings),
  );
  return columns.map(({ name }) => row![name]);
}
