import type { Knex } from "knex";
import { kept } from "../../base/data.ts";
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

/** By database and text: reads values together, each named by its bindings as JSON. */
const readers = new WeakMap<Knex, Map<string, ReturnType<typeof gathered<unknown>>>>();

/**
 * Reads one value, together with others of the same text that are asked for meanwhile: a statement's trip to a thread
 * and back takes longer than a small read. All of them wait for the slowest, so none may take long. The texts must be
 * few, since each is remembered.
 */
export async function readScalarTogether(database: Knex, { sql, bindings }: Scalar): Promise<unknown> {
  const ofDatabase = kept(readers, database, () => new Map());
  const read = kept(ofDatabase, sql, () => gathered((keys) => readByKey(database, sql, keys)));
  const key = JSON.stringify(bindings);
  return (await read([key])).get(key);
}

/** The most values that one statement reads, so that its text is kept prepared. */
const maxTogether = 8;

async function readByKey(
  database: Knex,
  sql: string,
  keys: readonly string[],
): Promise<Map<string, unknown>> {
  const reads: Promise<unknown[]>[] = [];
  for (let at = 0; at < keys.length; at += maxTogether) {
    const some = keys.slice(at, at + maxTogether);
    reads.push(
      readScalars(
        database,
        sql,
        some.map((key) => JSON.parse(key) as Scalar["bindings"]),
      ),
    );
  }
  const values = (await Promise.all(reads)).flat();
  return new Map(keys.map((key, at) => [key, values[at]]));
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
  return each.map((_, at) => row![`value${at}`]);
}
