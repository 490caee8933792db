import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Clock, Random } from "../parts.ts";
import type { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connectSqlite, readSqlite, sqlitePath } from "./sqlite.ts";
import { createWriter } from "./writer.ts";
import type { Writer } from "./writer.ts";

export interface Storage {
  /** Read connections; each acknowledged write is visible through them. They cannot write. */
  database: Knex;
  writer: Writer;
  /** Commits what waits, then ends all connections. Holds still open are left for the next sweep. */
  close(): Promise<void>;
}

/**
 * Opens the database at `url` (`file:PATH`), creating it and bringing its schema up to date.
 * @param parts.connect how the writer gets a connection; a test gives one that fails.
 * @throws Error with one sentence: a wrong address, a file that cannot be opened, a missing package, a newer schema.
 */
export async function openStorage(parts: {
  url: string;
  clock: Clock;
  random: Random;
  log: Logger;
  connect?: (path: string) => Promise<Connection>;
}): Promise<Storage> {
  const { url, clock, random, log, connect = connectSqlite } = parts;
  const path = sqlitePath(url);
  const first = await connectSqlite(path);
  try {
    await migrate(first);
  } finally {
    await first.destroy();
  }
  const database = await readSqlite(path);
  const writer = await createWriter({ connect: () => connect(path), clock, random, log });
  return {
    database,
    writer,
    async close() {
      await writer
        .run((tx) => tx.all("DELETE FROM processes WHERE owner = ?", [writer.owner]))
        .catch((error: unknown) =>
          log.warn({ err: error }, "the process could not sign off; its lease will run out"),
        );
      await writer.close();
      await database.destroy();
    },
  };
}
