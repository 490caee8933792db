import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** What of a disk fails; the letters are those of disk.c. */
export const diskFaults = { full: "f", "EIO on read": "r", "EIO on write": "w", "EIO on sync": "s" } as const;
export type DiskFault = keyof typeof diskFaults;

/** A disk under the database files of one process, which fails when it is asked to. */
export interface FailingDisk {
  /** Variables of the process. */
  env: Readonly<Record<string, string>>;
  fail(fault: DiskFault): void;
  heal(): void;
}

/**
 * Compiles the failing disk into a folder.
 * @param files the beginning of the paths of the files that are on it
 * @returns why there can be none on this machine, if so
 */
export async function failingDisk(folder: string, files: string): Promise<FailingDisk | string> {
  if (process.platform !== "linux")
    return `no disk can be made to fail on ${process.platform}, only on Linux`;
  const library = join(folder, "disk.so");
  const source = join(import.meta.dirname, "disk.c");
  try {
    await promisify(execFile)("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  } catch (error) {
    return `no disk can be made to fail without a C compiler (apt-get install gcc libc6-dev): ${(error as Error).message.split("\n")[0]}`;
  }
  const control = join(folder, "control");
  await writeFile(control, "-");
  const say = (letter: string): void => {
    const file = openSync(control, "r+");
    writeSync(file, letter, 0);
    closeSync(file);
  };
  return {
    env: { LD_PRELOAD: library, GROUND_CONTROL: control, GROUND_FILES: files },
    fail: (fault) => say(diskFaults[fault]),
    heal: () => say("-"),
  };
}
