import { rmSync } from "node:fs";
import sqlite3 from "sqlite3";
import { serve } from "../../serving.ts";

/*
 * Another process on a SQLite file, as a shell, a backup or an operator's command is one:
 * `node tools/hardening/kill/ground/neighbour.ts FILE BACKUP`. It opens and closes the file again and again, as the backup of
 * docs/operation.md does, and holds the write lock when it is asked to.
 */
const [, , path, backup] = process.argv as [string, string, string, string];

/** Opens what is there, executes statements and closes it; resolves to whether they succeeded. */
const visit = (...statements: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const database = new sqlite3.Database(path, sqlite3.OPEN_READWRITE, (error) => {
      if (error) return resolve(false);
      database.exec(statements.join("; "), (failure) => database.close(() => resolve(!failure)));
    });
  });

const vacuum = async (to: string): Promise<boolean> => {
  rmSync(to, { force: true });
  return visit("PRAGMA busy_timeout = 200", `VACUUM INTO '${to}'`);
};

let holder: sqlite3.Database | null = null;
let resting: Promise<void> | null = null;
let wake = (): void => undefined;
let visiting: Promise<unknown> = Promise.resolve();

async function keepVisiting(): Promise<never> {
  for (;;) {
    await resting;
    visiting = vacuum(backup);
    await visiting;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const answers = {
  /** Takes the write lock, waiting for it if necessary. */
  lock: () =>
    new Promise<void>((resolve, reject) => {
      const database = new sqlite3.Database(path, sqlite3.OPEN_READWRITE);
      database.exec("PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE", (error) => {
        if (error) return reject(error);
        holder = database;
        resolve();
      });
    }),
  /** Lets it go, and closes the file. */
  unlock: () =>
    new Promise<void>((resolve) => {
      holder?.exec("ROLLBACK", () => holder!.close(() => resolve()));
    }),
  copy: (to: string) => vacuum(to),
  /** Leaves the file alone from the end of the present visit. */
  async rest() {
    resting = new Promise((resolve) => (wake = resolve));
    await visiting;
  },
  wake() {
    wake();
    resting = null;
  },
};
void keepVisiting();
serve({}, () => Promise.resolve(), answers);
