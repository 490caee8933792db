import type { Profiler } from "node:inspector";
import { micro } from "../../billing/money.ts";
import { openDataFolder } from "../../parts-default.ts";
import { startProcess } from "../started.ts";
import { benchConfig } from "./config.ts";
import type { Variant } from "./variants.ts";

/** A server that runs in its own process. */
export interface Running {
  baseUrl: string;
  /** CPU time in microseconds used by the process. */
  cpu(): Promise<number>;
  /** The same of its main thread alone. */
  mainCpu(): Promise<number>;
  /** Starts watching the memory of the process; returns its current size in bytes. */
  watchMemory(): Promise<number>;
  /** The largest size since then. */
  mostMemory(): Promise<number>;
  /** Starts a CPU profile of the main thread. */
  startProfile(): Promise<void>;
  stopProfile(): Promise<Profiler.Profile>;
  stop(): Promise<void>;
}

/** Starts a server of one variant on a data folder. Rejects if the process ends before it listens. */
export const run = (
  dataFolder: string,
  variant: Variant,
  nodeFlags: readonly string[] = [],
): Promise<Running> =>
  started("server.ts", [dataFolder, JSON.stringify(variant)], nodeFlags, {
    SQLITE_DRIVER: variant.sqliteDriver ?? "sqlite3",
  });

/**
 * Starts a program of this folder that reports its address and answers the questions of `answerQuestions`.
 * @param file its name
 * @param env variables besides those of this process
 */
export async function started(
  file: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const { said, ask, stop } = await startProcess(new URL(file, import.meta.url), args, { nodeFlags, env });
  return {
    baseUrl: said.baseUrl,
    cpu: () => ask("cpu"),
    mainCpu: () => ask("cpu of the main thread"),
    watchMemory: () => ask("watch memory"),
    mostMemory: () => ask("most memory"),
    startProfile: async () => void (await ask("start profile")),
    stopProfile: () => ask<Profiler.Profile>("stop profile"),
    stop,
  };
}

/** Balance of each account of a bench in credits: enough for any number of calls. */
export const wealth = 100_000_000;

/** Opens accounts with credits in a data folder and returns one key of each. */
export async function openAccounts(dataFolder: string, count: number): Promise<string[]> {
  const { accounts, books, storage } = await openDataFolder(benchConfig(dataFolder));
  try {
    const keys: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const { id } = await accounts.create({ name: `bench ${index}`, email: null });
      const amount = micro(wealth);
      await books.move({ accountId: id, entryType: "grant_payment_recharge", amount, description: "bench" });
      keys.push((await accounts.addKey(id, "bench")).apiKey);
    }
    return keys;
  } finally {
    await storage.close();
  }
}
