import type { Database, Statement } from "sqlite3";

type Done = (error: Error | null, rows: unknown[]) => void;

/** The most statements that one connection keeps; a server uses fewer distinct texts. */
const kept = 256;

/** The longest text that is kept, in characters. */
const longest = 4_096;

/**
 * Makes a connection keep its prepared statements: `all` prepares each text once, and `close` releases them. By itself,
 * the driver prepares each time, which costs as much as a small read.
 */
export function prepared(database: Database): Database {
  const statements = new Map<string, Promise<Statement>>();
  const prepare = (sql: string): Promise<Statement> =>
    new Promise((resolve, reject) => {
      const statement = database.prepare(sql, (error) => (error ? reject(error) : resolve(statement)));
    });
  const letGo = async (sql: string): Promise<void> => {
    const known = statements.get(sql);
    statements.delete(sql);
    await known?.then(
      (statement) => statement.finalize(),
      () => undefined,
    );
  };
  const statementOf = (sql: string): Promise<Statement> => {
    const statement = statements.get(sql) ?? prepare(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    if (statements.size > kept) void letGo(statements.keys().next().value!);
    return statement;
  };

  const { all, close } = database;
  return Object.assign(database, {
    all(sql: string, bindings: unknown, done: Done) {
      if (sql.length > longest) return all.call(database, sql, bindings, done);
      const failed = (error: Error): void => {
        void letGo(sql);
        done(error, []);
      };
      statementOf(sql).then(
        (statement) =>
          statement.all(bindings, (error: Error | null, rows: unknown[]) =>
            error ? failed(error) : done(null, rows),
          ),
        failed,
      );
      return database;
    },
    close(closed?: (error: Error | null) => void) {
      const idle = Promise.all([...statements.keys()].map(letGo));
      void idle.then(() => close.call(database, closed));
    },
  });
}
