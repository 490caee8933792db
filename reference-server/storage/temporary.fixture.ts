import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Clock } from "../parts.ts";
import { openStorage } from "./open.ts";
import type { Connecting, Storage } from "./open.ts";
import { connectPostgres } from "./postgres.ts";

/** A clock that stands still until a test advances it. */
export interface HeldClock extends Clock {
  time: number;
}

export const heldClock = (time = Date.UTC(2026, 10, 20, 12)): HeldClock => ({
  time,
  now() {
    return this.time;
  },
});

export const systemRandom = { bytes: (size: number): Buffer => randomBytes(size) };

/** The Postgres server on which the project "Postgres" of tools/vitest.config.ts repeats tests; otherwise a SQLite file. */
const postgresUrl = process.env["TESTED_DATABASE_URL"];

/** An empty database for a test, a file or a schema. `remove` deletes it. */
export async function temporaryDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  if (postgresUrl !== undefined) return temporarySchema(postgresUrl);
  const folder = await mkdtemp(join(tmpdir(), "capability-storage-"));
  return {
    url: `file:${join(folder, "data.sqlite")}`,
    remove: () => rm(folder, { recursive: true }),
  };
}

/** A schema of its own on a Postgres server; `remove` drops it with its content. */
export async function temporarySchema(server: string): Promise<{ url: string; remove(): Promise<void> }> {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  const change = async (statement: string): Promise<void> => {
    const connection = await connectPostgres(server);
    await connection.all(statement);
    await connection.destroy();
  };
  await change(`CREATE SCHEMA ${schema}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return { url: url.href.replaceAll("+", "%20"), remove: () => change(`DROP SCHEMA ${schema} CASCADE`) };
}

/** A storage on a database of its own. `remove` closes and deletes it; `url` opens it again. */
export async function temporaryStorage(
  given: {
    clock?: Clock;
    connect?: Connecting;
    onBatch?: (commands: number) => void;
  } = {},
): Promise<Storage & { url: string; clock: Clock; remove(): Promise<void> }> {
  const database = await temporaryDatabase();
  const clock = given.clock ?? heldClock();
  const log = pino({ level: "silent" });
  const storage = await openStorage({ ...given, url: database.url, clock, random: systemRandom, log });
  return {
    ...storage,
    url: database.url,
    clock,
    async remove() {
      await storage.close();
      await database.remove();
    },
  };
}
