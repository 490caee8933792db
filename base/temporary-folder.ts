import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WrongUse } from "./exit.ts";

/** Creates a temporary folder, passes it to `use` and removes it. @throws WrongUse when none can be created */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-")).catch((error: Error) => {
    throw new WrongUse(`no temporary folder: ${error.message}; set TMPDIR to a folder that can be written`, {
      cause: error,
    });
  });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
