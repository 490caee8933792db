import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { WrongUse } from "./exit.ts";

/**
 * Writes each requested file, creating its folders, and reports it.
 * @throws WrongUse if a file cannot be written
 */
export async function writeFiles(
  files: readonly (readonly [file: string | undefined, content: () => string | Buffer])[],
): Promise<void> {
  for (const [file, content] of files) {
    if (file === undefined) continue;
    await written(file, content());
    console.log(`  written ${file}`);
  }
}

/** @throws WrongUse if the file cannot be written */
export async function written(file: string, content: string | Buffer, flag = "w"): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { flag });
  } catch (error) {
    throw new WrongUse(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
