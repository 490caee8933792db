import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Unavailable } from "./connection.ts";
import { openStorage, type Storage } from "./open.ts";
import { heldClock, systemRandom } from "./temporary.fixture.ts";

let folder: string;
let path: string;
const open: Storage[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqlite-files-"));
  path = join(folder, "data.sqlite");
});

afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close();
  await rm(folder, { recursive: true });
});

/** A storage on the path; `breakNext` makes its writer lose its connection with the next write. */
async function start() {
  let broken = false;
  let before = (): void => undefined;
  const storage = await openStorage({
    url: `file:${path}`,
    clock: heldClock(),
    random: systemRandom,
    log: pino({ level: "silent" }),
    async connect(usual) {
      before();
      const real = await usual();
      return {
        ...real,
        async begin() {
          if (!broken) return real.begin();
          broken = false;
          throw new Unavailable("broken by the test");
        },
      };
    },
  });
  open.push(storage);
  return {
    ...storage,
    breakNext: () => void (broken = true),
    beforeConnecting: (then: () => void) => void (before = then),
  };
}

async function stop(storage: Pick<Storage, "writer">): Promise<void> {
  const index = open.findIndex(({ writer }) => writer === storage.writer);
  await open.splice(index, 1)[0]!.close();
}

const insert =
  "INSERT INTO tool_stats (tool_id, executions, successes, total_duration_ms) VALUES (?, 1, 1, 1)";

const write = ({ writer }: Storage, name: string): Promise<unknown> =>
  writer.run((tx) => tx.all(insert, [name]));

const written = async ({ database }: Storage): Promise<string[]> =>
  (await database<{ tool_id: string }>("tool_stats").orderBy("tool_id")).map((row) => row.tool_id);

/** Lets another process open the database, execute statements and close it; its errors are thrown. */
const elsewhere = (statements: string): void =>
  void execFileSync(
    process.execPath,
    [
      "-e",
      `const database = new (require("sqlite3").Database)(process.argv[1]);
       database.exec(process.argv[2], (error) => database.close(() => process.exit(error ? 1 : 0)));`,
      path,
      statements,
    ],
    { cwd: import.meta.dirname },
  );

/** The backup of docs/operation.md. */
const backUp = (to: string): void => elsewhere(`VACUUM INTO '${to}'`);

const away = (suffix: string): [string, string] => [`${path}${suffix}`, join(folder, `away${suffix}`)];

it("shows other processes that the database is in use, also after the writer connected anew", async () => {
  const storage = await start();
  await write(storage, "first");
  // The lock of a connection that is open is the lock of all others of the process.
  expect(await written(storage)).toEqual(["first"]);
  storage.breakNext();
  await expect(write(storage, "lost")).rejects.toThrow(Unavailable);
  await write(storage, "second");
  // Who gets this lock is alone: SQLite deletes the log when it closes.
  expect(() => elsewhere("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema")).toThrow();
  backUp(join(folder, "backup.sqlite"));
  expect(existsSync(`${path}-wal`)).toBe(true);
  await write(storage, "third");
  await stop(storage);
  expect(await written(await start())).toEqual(["first", "second", "third"]);
});

it.each(["", "-wal", "-shm"])(
  "writes nothing while data.sqlite%s is away, and goes on when it is back",
  async (suffix) => {
    const storage = await start();
    await write(storage, "before");
    expect(await written(storage)).toEqual(["before"]);
    const [here, there] = away(suffix);
    renameSync(here, there);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(write(storage, "meanwhile")).rejects.toThrow(`${basename(here)} is gone`);
    }
    expect(await written(storage)).toEqual(["before"]);
    expect(existsSync(here), "nothing was created in its place").toBe(false);
    renameSync(there, here);
    await write(storage, "later");
    expect(await written(storage)).toEqual(["before", "later"]);
  },
);

it("does not open a read connection to a file that is away, and creates none", async () => {
  const storage = await start();
  const [here, there] = away("");
  renameSync(here, there);
  await expect(written(storage)).rejects.toThrow(Unavailable);
  expect(existsSync(here)).toBe(false);
  renameSync(there, here);
  expect(await written(storage)).toEqual([]);
});

it("acknowledges a commit during which the file went once the file is back, and it holds the commit", async () => {
  const storage = await start();
  const [here, there] = away("");
  storage.beforeConnecting(() => renameSync(there, here));
  await storage.writer.run(async (tx) => {
    await tx.all(insert, ["committed"]);
    renameSync(here, there);
  });
  expect(await written(storage)).toEqual(["committed"]);
});

it("rescues what a removed file held when it closes, and refuses to begin anew beside the log", async () => {
  const storage = await start();
  await write(storage, "acknowledged");
  rmSync(path);
  await expect(write(storage, "refused")).rejects.toThrow("is gone");
  await stop(storage);
  await expect(start()).rejects.toThrow(`${path}: it is missing, although its log ${path}-wal is there`);
  const [rescued] = readdirSync(folder).filter((name) => name.includes("rescued"));
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`);
  renameSync(join(folder, rescued!), path);
  expect(await written(await start())).toEqual(["acknowledged"]);
});

it("leaves a copy that was put in the place of its file alone, and does not write the old log into it", async () => {
  const storage = await start();
  await write(storage, "in the copy");
  const copy = join(folder, "copy.sqlite");
  backUp(copy);
  const bytes = readFileSync(copy);
  await write(storage, "after the copy");
  const [here, there] = away("");
  renameSync(here, there);
  renameSync(copy, here);
  await expect(write(storage, "refused")).rejects.toThrow("is not the one that this server opened");
  await stop(storage);
  await expect(start()).rejects.toThrow(`another file is in its place than the one that the log ${path}-wal`);
  expect(readFileSync(here).equals(bytes)).toBe(true);

  // The old file, put back, has everything; the copy without the old log has what it was made of.
  renameSync(here, copy);
  renameSync(there, here);
  const restored = await start();
  expect(await written(restored)).toEqual(["after the copy", "in the copy"]);
  await stop(restored);
  path = copy;
  expect(await written(await start())).toEqual(["in the copy"]);
});

it("closes with everything in the file when only the log was removed", async () => {
  const storage = await start();
  await write(storage, "acknowledged");
  rmSync(`${path}-wal`);
  await expect(write(storage, "refused")).rejects.toThrow("data.sqlite-wal is gone");
  await stop(storage);
  expect(await written(await start())).toEqual(["acknowledged"]);
});

it("refuses an empty file beside a log, which SQLite would delete", async () => {
  writeFileSync(path, "");
  writeFileSync(`${path}-wal`, "the log of a file that is elsewhere");
  await expect(start()).rejects.toThrow(`${path}: it is empty, although its log ${path}-wal is there`);
  expect(readFileSync(`${path}-wal`, "utf8")).toBe("the log of a file that is elsewhere");
});
