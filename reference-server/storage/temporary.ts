import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Clock } from "../parts.ts";
import type { Connection } from "./connection.ts";
import { openStorage } from "./open.ts";
import type { Storage } from "./open.ts";

/** A clock that stands still until a test moves it. */
export interface HeldClock extends Clock {
  time: number;
}

export const heldClock = (time = Date.UTC(2026, 10, 20, 12)): HeldClock => ({
  time,
  now() {
    return this.time;
  },
});

export const systemRandom = { bytes: (size: number): Buffer => randomBytes(size) };

/** For tests: a storage on a file of its own. `remove` closes it and deletes the file; `url` opens it once more. */
export async function temporaryStorage(
  given: { clock?: Clock; connect?: (path: string) => Promise<Connection> } = {},
): Promise<Storage & { url: string; clock: Clock; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "capability-storage-"));
  const url = `file:${join(folder, "data.sqlite")}`;
  const clock = given.clock ?? heldClock();
  const log = pino({ level: "silent" });
  const storage = await openStorage({ ...given, url, clock, random: systemRandom, log });
  return {
    ...storage,
    url,
    clock,
    async remove() {
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
}
