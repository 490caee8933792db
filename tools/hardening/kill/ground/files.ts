import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startProcess, type Started } from "../../started.ts";
import { diskFaults, failingDisk, type DiskFault } from "./failing-disk.ts";
import type { Fault, Ground } from "./fault.ts";

const suffixes = ["", "-wal", "-shm"] as const;

/** The ground of a server on SQLite: the file, its disk, and another process that works on it. */
export interface FileGround extends Ground {
  /** Variables of the server's process. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Lays the ground under the database file of a data folder.
 * @param scratch a folder for files other than data
 */
export async function layFiles(dataFolder: string, scratch: string): Promise<FileGround> {
  const path = join(dataFolder, "data.sqlite");
  const disk = await failingDisk(scratch, path);
  const neighbour = await startProcess<object>(new URL("neighbour.ts", import.meta.url), [
    path,
    join(scratch, "backup.sqlite"),
  ]);
  const onDisk = typeof disk === "string" ? [] : (Object.keys(diskFaults) as DiskFault[]);
  return {
    faults: [
      lockHeld(neighbour),
      ...suffixes.map((suffix) =>
        away(`data.sqlite${suffix} is away`, `${path}${suffix}`, scratch, neighbour),
      ),
      away("the data folder is away", dataFolder, scratch, neighbour),
      replaced(path, scratch, neighbour),
      removed(path),
      ...onDisk.map((fault) => failing(fault, disk as Exclude<typeof disk, string>)),
    ],
    missing: typeof disk === "string" ? [disk] : [],
    env: typeof disk === "string" ? {} : disk.env,
    close: () => neighbour.stop(),
  };
}

/** Longer than the server waits for a lock. */
const lockHeld = (neighbour: Started<object>): Fault => ({
  name: "another process holds the lock",
  // The server may hold it where the fault begins, so nobody waits here.
  begin: () => Promise.resolve(void neighbour.ask("lock").catch(() => undefined)),
  end: () => neighbour.ask("unlock"),
  lasts: [5_500, 7_000],
  stopsAll: false,
});

/** While one of the files has no name or a wrong one, no other program may open the database: docs/operation.md. */
const alone = (neighbour: Started<object>, fault: Fault): Fault => ({
  ...fault,
  async begin() {
    await neighbour.ask("rest");
    await fault.begin();
  },
  async end() {
    await fault.end();
    await neighbour.ask("wake");
  },
});

const away = (name: string, path: string, scratch: string, neighbour: Started<object>): Fault =>
  alone(neighbour, {
    name,
    begin: () => rename(path, join(scratch, "away")),
    end: () => rename(join(scratch, "away"), path),
    lasts: [0, 4_000],
    stopsAll: true,
  });

const replaced = (path: string, scratch: string, neighbour: Started<object>): Fault => {
  const copy = join(scratch, "copy.sqlite");
  const original = join(scratch, "original.sqlite");
  return alone(neighbour, {
    name: "a good copy replaces data.sqlite",
    async begin() {
      await neighbour.ask("copy", copy);
      await rename(path, original);
      await rename(copy, path);
    },
    end: () => rename(original, path),
    lasts: [0, 4_000],
    stopsAll: true,
  });
};

/** What is deleted exists only in the server, which writes it to a new file when it is stopped. */
const removed = (path: string): Fault => ({
  name: "data.sqlite is removed",
  begin: () => rm(path),
  async end() {
    const found = (await readdir(dirname(path))).filter((name) => name.startsWith("data.sqlite.rescued"));
    const rescued = found.sort().at(-1);
    if (rescued === undefined) throw new Error("the server rescued nothing of a file that was removed");
    for (const suffix of ["-wal", "-shm"]) if (existsSync(path + suffix)) await rm(path + suffix);
    await rename(join(dirname(path), rescued), path);
  },
  lasts: [0, 4_000],
  endings: ["is stopped within"],
  stopsAll: true,
});

const failing = (
  fault: DiskFault,
  disk: Exclude<Awaited<ReturnType<typeof failingDisk>>, string>,
): Fault => ({
  name: fault === "full" ? "the disk is full" : fault,
  begin: () => Promise.resolve(disk.fail(fault)),
  end: () => Promise.resolve(disk.heal()),
  lasts: [0, 4_000],
  stopsAll: true,
});
