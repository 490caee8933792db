import { join } from "node:path";
import { createLimiter } from "../../../reference-server/http/limiter.ts";
import { connectSqlite } from "../../../reference-server/storage/sqlite.ts";
import type { Limiter } from "../../../reference-server/parts.ts";
import { onPart, type Change } from "../../changes/mutant.ts";
import type { Impostor } from "./impostor.ts";

/** Tables about the process, not about its accounts. */
const ofTheProcess = ["processes", "migrations"];

/** The reference server, but each request starts from a fresh copy of the prepared accounts. */
export const memoryless: Impostor = {
  name: "a server without memory",
  cannot: ["remember"],
  perform: async (stage, profile, use) => {
    let forget = async (): Promise<void> => undefined;
    let turn: Promise<void> = Promise.resolve();
    let done = (): void => undefined;
    const change: Change = {
      ...onPart("limiter", (_, { clock }): Limiter => {
        const fresh = () => createLimiter({ clock, windowSeconds: 60, kind: "aligned" });
        return { take: (bucket, quota) => fresh().take(bucket, quota) };
      }),
      // One request at a time, so that only its own effects are forgotten.
      inward: async () => {
        const before = turn;
        let end = (): void => undefined;
        turn = new Promise((resolve) => (end = resolve));
        await before;
        await forget();
        done = end;
        return null;
      },
      wire: (_, answer) => {
        done();
        return answer;
      },
    };
    return stage.perform(change, async (own, dataFolder) => {
      const database = await connectSqlite(join(dataFolder, "data.sqlite"));
      forget = await remembering(database);
      try {
        return await use({ ...own, mail_lag: profile.mail_lag });
      } finally {
        await database.destroy();
      }
    });
  },
};

type Database = Awaited<ReturnType<typeof connectSqlite>>;

/** Copies all tables within the database. @returns a function that restores them */
async function remembering(database: Database): Promise<() => Promise<void>> {
  const objects = await database.all<{ type: string; name: string }>(
    "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY rowid",
  );
  const named = (kind: string): string[] =>
    objects.filter(({ type, name }) => type === kind && !ofTheProcess.includes(name)).map(({ name }) => name);
  // Triggers make the ledger append-only, so restoring must bypass them to remove new rows.
  for (const name of named("trigger")) await database.all(`DROP TRIGGER ${name}`);
  const tables = named("table");
  for (const name of tables) await database.all(`CREATE TABLE original_${name} AS SELECT * FROM ${name}`);
  await database.all("PRAGMA foreign_keys = OFF");
  return async () => {
    await database.begin();
    for (const name of tables) {
      await database.all(`DELETE FROM ${name}`);
      await database.all(`INSERT INTO ${name} SELECT * FROM original_${name}`);
    }
    await database.commit();
  };
}
