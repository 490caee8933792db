import { access, constants, mkdir, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { WrongUse } from "./exit.ts";

/**
 * Writes each requested file, creating its folders, and reports it. A file that cannot be written does not stop others.
 * @throws WrongUse in the end, for every file that cannot be written
 */
export async function writeFiles(
  files: readonly (readonly [file: string | undefined, content: () => string | Buffer])[],
): Promise<void> {
  const failures: string[] = [];
  for (const [file, content] of files) {
    if (file === undefined) continue;
    try {
      await written(file, content());
      console.log(`  written ${file}`);
    } catch (error) {
      if (!(error instanceof WrongUse)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length > 0) throw new WrongUse(failures.join("\n"));
}

/**
 * Writes a file as a whole: under another name first, so that an interruption leaves the old one or the new one.
 * @throws WrongUse if the file cannot be written
 */
export const written = (file: string, content: string | Buffer): Promise<void> =>
  naming(file, async () => {
    await makeFolder(dirname(file));
    // A pipe or a device, such as /dev/stdout, cannot be replaced; a link is followed.
    const known = await stat(file).catch(() => null);
    if (known !== null && !known.isFile()) return writeFile(file, content);
    const target = known === null ? file : await realpath(file);
    const part = `${target}.${process.pid}.part`;
    await writeFile(part, content);
    await rename(part, target);
  });

/** Makes sure that files can be written later, and leaves them as they are. @throws WrongUse */
export async function requireWritable(...files: (string | undefined)[]): Promise<void> {
  for (const file of files) {
    if (file === undefined) continue;
    await naming(file, async () => {
      await makeFolder(dirname(file));
      const known = await stat(file).catch(() => null);
      if (known?.isDirectory()) throw new Error("it is a folder");
      await access(known === null || known.isFile() ? dirname(file) : file, constants.W_OK);
    });
  }
}

/**
 * Makes a folder and those above it. Node's recursion never ends where a folder exists but none can be made in it, as
 * in /proc, and reports ENOENT for a read-only disk.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await stat(folder).catch(() => null))?.isDirectory() ?? false;
  if (await isThere()) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    if (!(await isThere())) throw error;
  });
}

async function naming(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new WrongUse(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
