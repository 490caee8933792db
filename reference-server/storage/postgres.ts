import knex from "knex";
import type { Knex } from "knex";
import type pg from "pg";
import { Interrupted, storableText } from "./connection.ts";
import type { Binding, Connection } from "./connection.ts";
import { quietKnex, translating } from "./reader.ts";

/**
 * Timeouts in ms, so that a lost server does not keep every caller waiting. `free` is the wait for one of the read
 * connections.
 */
const limits = { connect: 3_000, statement: 10_000, answer: 12_000, read: 20_000, free: 5_000 } as const;

/** The most read connections of one process. */
export const readConnections = 8;

const load = async (): Promise<typeof pg> => {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new Error("a postgres: database needs the package pg: run `npm install pg` and start again", {
      cause,
    });
  }
};

/** Whether an address names a Postgres database: `postgres://…` or `postgresql://…`. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

const int8 = 20;
const numeric = 1700;

/** Parses counts and sums as numbers, which hold all our amounts and times exactly. */
const typesOf = (driver: typeof pg): pg.CustomTypesConfig => ({
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 || oid === numeric ? Number : (driver.types.getTypeParser(oid, format as "text") as unknown),
});

/**
 * Errors after which the same transaction may succeed when retried: serialization failure and deadlock; a lock or
 * statement timeout; a lost connection (class 08, and errors that are not the database's); a server that is stopping,
 * starting or full (classes 57P and 53); a failover: a standby takes no writes (25006), a database is missing or being
 * restored (3D000, 55000), its tables or users do not exist yet (42P01, 28000).
 */
const passing = /^(40001|40P01|55P03|55000|57014|57P..|53...|08...|25P03|25P04|25006|28000|3D000|42P01)$/;

const interrupted = (error: unknown): unknown => {
  const { code, severity, message } = error as { code?: string; severity?: string; message?: string };
  const answered = severity !== undefined;
  if (answered && !passing.test(code ?? "")) return error;
  return new Interrupted(`Postgres: ${message ?? String(error)}`, { cause: error });
};

/** Rewrites `?` for the driver; none of our statements has one inside a literal. */
const numbered = (sql: string): string => {
  let count = 0;
  return sql.replaceAll("?", () => `$${++count}`);
};

const storable = (value: Binding): Binding => (typeof value === "string" ? storableText(value) : value);

/**
 * Opens a writer's connection. Acknowledged means on disk, whatever the server's default. The server undoes an
 * abandoned transaction after the statement timeout, which frees its locks. `patient`: a statement, or its wait
 * for a lock, may take any time, as the change of a large table does.
 * @throws Error if pg is not installed; Interrupted if the server cannot be reached
 */
export async function connectPostgres(url: string, { patient = false } = {}): Promise<Connection> {
  const driver = await load();
  const client = new driver.Client({
    connectionString: url,
    types: typesOf(driver),
    application_name: "capability-writer",
    connectionTimeoutMillis: limits.connect,
    statement_timeout: limits.statement,
    query_timeout: limits.answer,
    idle_in_transaction_session_timeout: limits.statement,
    keepAlive: true,
  });
  // The next statement notices a connection that ended while idle.
  client.on("error", () => undefined);
  const run = async (sql: string, bindings: readonly Binding[] = []): Promise<pg.QueryResult> => {
    try {
      // The longest that a timer takes.
      const waits = patient ? { query_timeout: 2 ** 31 - 1 } : {};
      return await client.query({ text: numbered(sql), values: bindings.map(storable), ...waits });
    } catch (error) {
      throw interrupted(error);
    }
  };
  const destroy = async (): Promise<void> => {
    // A hanging server does not confirm the end, so the socket is destroyed.
    const socket = (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
    const timer = setTimeout(() => socket.destroy(), 1_000);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
  };
  try {
    await client.connect();
    await client.query(`SET synchronous_commit = on${patient ? "; SET statement_timeout = 0" : ""}`);
  } catch (error) {
    await destroy();
    throw interrupted(error);
  }
  return {
    dialect: "postgres",
    all: async <Row>(sql: string, bindings?: readonly Binding[]) => (await run(sql, bindings)).rows as Row[],
    begin: async () => void (await run("BEGIN ISOLATION LEVEL READ COMMITTED")),
    async commit() {
      const { command } = await run("COMMIT");
      // After an error in the transaction, Postgres answers COMMIT with ROLLBACK, which the driver does not report as
      // an error.
      if (command !== "COMMIT") throw new Error(`Postgres answered COMMIT with ${command}`);
    },
    rollback: async () => void (await run("ROLLBACK")),
    destroy,
  };
}

/** Read connections besides the writer's; Postgres refuses writes through them. */
export async function readPostgres(url: string): Promise<Knex> {
  const driver = await load();
  const database = knex({
    client: "pg",
    connection: {
      connectionString: url,
      types: typesOf(driver),
      application_name: "capability-reader",
      connectionTimeoutMillis: limits.connect,
      query_timeout: limits.read,
      keepAlive: true,
    } as Knex.PgConnectionConfig,
    acquireConnectionTimeout: limits.free,
    log: quietKnex,
    pool: {
      min: 0,
      max: readConnections,
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        client.query(
          `SET default_transaction_read_only = on; SET statement_timeout = ${limits.read}`,
          (error: Error | null) => done(error, client),
        );
      },
    },
  });
  return translating(database, interrupted);
}
