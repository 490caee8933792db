import { exclusively } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { accountsBooksAudit } from "./migrations/001-accounts-books-audit.ts";
import { severalProcesses } from "./migrations/002-several-processes.ts";
import { closedAccounts } from "./migrations/003-closed-accounts.ts";
import { numbersAfterRows } from "./migrations/004-numbers-after-rows.ts";
import { mailedInboxes } from "./migrations/005-mailed-inboxes.ts";
import type { Migration } from "./migrations/migration.ts";

/** Every migration, in order. */
export const migrations: readonly Migration[] = [
  accountsBooksAudit,
  severalProcesses,
  closedAccounts,
  numbersAfterRows,
  mailedInboxes,
];

/**
 * Upgrades the schema in one transaction of the writer's connection. A process killed halfway leaves the old
 * schema and no lock (knex's own migrations leave a lock row to remove by hand); of several that start together, one
 * does the work.
 * @throws Error if a newer version has written the database
 */
export async function migrate(connection: Connection): Promise<void> {
  await connection.begin();
  try {
    await exclusively(connection, "migrate");
    await connection.all("CREATE TABLE IF NOT EXISTS schema_steps (name TEXT PRIMARY KEY)");
    const rows = await connection.all<{ name: string }>("SELECT name FROM schema_steps ORDER BY name");
    const done = new Set(rows.map((row) => row.name));
    const unknown = [...done].filter((name) => !migrations.some((migration) => migration.name === name));
    if (unknown.length > 0) {
      throw new Error(
        `the database was written by a newer version: it has the schema steps ${unknown.join(", ")}`,
      );
    }
    for (const { name, statements } of migrations) {
      if (done.has(name)) continue;
      for (const statement of statements(connection.dialect)) await connection.all(statement);
      await connection.all("INSERT INTO schema_steps (name) VALUES (?)", [name]);
    }
    await connection.commit();
  } catch (error) {
    await connection.rollback().catch(() => undefined);
    throw error;
  }
}
