import { link, readFile, rm, writeFile } from "node:fs/promises";
import type { Random } from "./parts.ts";

const size = 32;

/**
 * A secret of 32 bytes in a file that only its owner can read. It survives restarts. The first process creates it, and
 * several that start together all read the same complete secret. An existing file is used, even a read-only one.
 * @throws Error if the file holds anything else
 */
export async function keptSecret(path: string, random: Random): Promise<Buffer> {
  const secret = (await contentOf(path)) ?? (await make(path, random));
  if (secret.length !== size)
    throw new Error(`${path} must hold ${size} bytes; delete it to have it made again`);
  return secret;
}

async function contentOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function make(path: string, random: Random): Promise<Buffer> {
  const draft = `${path}.${random.bytes(8).toString("hex")}`;
  await writeFile(draft, random.bytes(size), { mode: 0o600, flag: "wx" });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
  return readFile(path);
}
