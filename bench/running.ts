import { fork } from "node:child_process";
import { on, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { micro } from "../reference-server/billing/money.ts";
import { openDataFolder } from "../reference-server/parts-default.ts";
import { benchConfig } from "./config.ts";
import type { Variant } from "./variants.ts";

/** A server that runs in a process of its own. */
export interface Running {
  baseUrl: string;
  /** Microseconds of CPU time that the process has used. */
  cpu(): Promise<number>;
  /** Begins to watch how much memory the process holds; answers the bytes at this moment. */
  watchMemory(): Promise<number>;
  /** The most bytes it held since then. */
  mostMemory(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a server of one variant on a data folder. Rejects when it ends before it listens. */
export async function run(
  dataFolder: string,
  variant: Variant,
  nodeFlags: readonly string[] = [],
): Promise<Running> {
  const child = fork(new URL("server.ts", import.meta.url), [dataFolder, JSON.stringify(variant)], {
    execArgv: [...nodeFlags],
  });
  const messages = on(child, "message");
  child.once("exit", (code) => {
    void messages.throw?.(new Error(`a server under a bench ended with status ${String(code)}`));
  });
  const said = async <Message>(): Promise<Message> => {
    const { value } = await messages.next();
    return (value as [Message])[0];
  };
  const { baseUrl } = await said<{ baseUrl: string }>();
  const ask = async (question: string): Promise<number> => {
    child.send(question);
    return (await said<{ value: number }>()).value;
  };
  return {
    baseUrl,
    cpu: () => ask("cpu"),
    watchMemory: () => ask("watch memory"),
    mostMemory: () => ask("most memory"),
    async stop() {
      const ended = once(child, "exit");
      child.send("stop");
      await ended;
    },
  };
}

/** A temporary data folder, handed to `use` and removed. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "capability-bench-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What an account of a bench owns, in credits: enough for any number of calls. */
export const wealth = 100_000_000;

/** Opens accounts with credits in a data folder; answers a key of each. */
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
