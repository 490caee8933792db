import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { Unavailable } from "./connection.ts";

/*
 * The files of a SQLite database: the database itself, its log and the index of the log. SQLite finds them by name, once
 * for each connection, so a name that leads elsewhere in between makes two connections write past each other.
 *
 * Nothing here opens one of them, except to create the database file before any connection exists: closing any
 * descriptor of a file drops all POSIX locks of the process on it, those of SQLite too. The next process that closes the
 * database would then take itself for the last one and delete the log.
 */

/** Creates the database file, readable for its owner only, as SQLite makes the log and the index after it.
 * @throws Error if the file is missing or empty although there is a log: SQLite would delete the log
 */
export async function createOnce(path: string): Promise<void> {
  // A log is never older than its file, so it is looked for first.
  const log = sizeOf(`${path}-wal`);
  const size = sizeOf(path);
  if (log !== null && (size === null || (size === 0 && log > 0))) {
    throw new Error(
      `it is ${size === null ? "missing" : "empty"}, although its log ${path}-wal is there: ` +
        "put the file back beside the log, or move the log away to begin anew",
    );
  }
  // SQLite reports what is wrong where this fails.
  if (size === null) {
    await open(path, "wx", 0o600).then(
      (file) => file.close(),
      () => undefined,
    );
  }
}

const sizeOf = (path: string): number | null => attempt(() => statSync(path).size);

/** The files of an open database, each as it was found at first. */
export class SqliteFiles {
  readonly #files: readonly { path: string; found: string | null }[];
  readonly #folder: { path: string; device: bigint | null };

  /** @param path of a database of which a connection is open that has read from it */
  constructor(path: string) {
    // SQLite puts the log beside the file itself, not beside a link to it.
    const real = realpathSync(path);
    const paths = [path, `${real}-wal`, `${real}-shm`];
    this.#files = paths.map((each) => ({ path: each, found: placeOf(each) }));
    this.#folder = { path: dirname(real), device: deviceOf(dirname(real)) };
  }

  /**
   * Requires that each file is the one found at first: SQLite would keep writing to one that was deleted or replaced, and
   * everything would be lost at the next start.
   * @throws Unavailable if one is gone, or another is in its place
   */
  requireInPlace(): void {
    const moved = this.#moved();
    if (moved === undefined) return;
    const what = placeOf(moved.path) === null ? "is gone" : "is not the one that this server opened";
    throw new Unavailable(`SQLite: ${moved.path} ${what}`);
  }

  areInPlace(): boolean {
    return this.#moved() === undefined;
  }

  /** Whether the folder is still on the device where the files were. */
  isFolderInPlace(): boolean {
    return deviceOf(this.#folder.path) === this.#folder.device;
  }

  #moved(): { path: string } | undefined {
    return this.#files.find(({ path, found }) => placeOf(path) !== found);
  }
}

/** The device and inode of a file; null if it cannot be found. */
const placeOf = (path: string): string | null =>
  attempt(() => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  });

const deviceOf = (path: string): bigint | null => attempt(() => statSync(path, { bigint: true }).dev);

/** Which file a log was written for: the file's and the log's inode, each with its time of birth. */
interface Pair {
  file: string;
  log: string;
}

const pairPath = (path: string): string => `${path}-pair`;

/**
 * Refuses a database file that was put in the place of another, beside the log of the other: SQLite would write the log
 * into it.
 * @throws Error with what to do
 */
export function requireOwnLog(path: string): void {
  const noted = attempt(() => JSON.parse(readFileSync(pairPath(path), "utf8")) as Pair);
  if (noted === null || noted.log !== bornAs(`${path}-wal`) || noted.file === bornAs(path)) return;
  throw new Error(
    `another file is in its place than the one that the log ${path}-wal was written for: put that one back, ` +
      `or move the log and ${path}-shm away, which gives up what is in the log`,
  );
}

/** Notes which file the log was written for, for the next start. Without room for the note, there is none. */
export function notePair(path: string): void {
  const [file, log] = [bornAs(path), bornAs(`${path}-wal`)];
  if (file === null || log === null) return;
  const note = JSON.stringify({ file, log } satisfies Pair);
  if (attempt(() => readFileSync(pairPath(path), "utf8")) === note) return;
  attempt(() => {
    const draft = `${pairPath(path)}.${process.pid}`;
    writeFileSync(draft, note, { mode: 0o600 });
    renameSync(draft, pairPath(path));
  });
}

/** An inode's number can be given again, its time of birth cannot. */
const bornAs = (path: string): string | null =>
  attempt(() => {
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${ino}:${birthtimeNs}`;
  });

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
