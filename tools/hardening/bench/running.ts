import { micro } from "../../../reference-server/billing/money.ts";
import { openDataFolder } from "../../../reference-server/parts-default.ts";
import { startProcess, type Started } from "../started.ts";
import { benchConfig } from "./config.ts";
import type { Variant } from "./variants.ts";

/** A program of this folder in a process of its own, which stops with the others of its bench. */
export type Running = Pick<Started, "ask"> & { baseUrl: string };

/** Gives `use` the means to start programs of this folder and servers, and stops all of them after it. */
export async function withProcesses<T>(use: (start: Starts) => Promise<T>): Promise<T> {
  const stops: (() => Promise<void>)[] = [];
  const program: Starts["program"] = async (file, args = [], env = {}) => {
    const { said, ask, stop } = await startProcess(new URL(file, import.meta.url), args, { env });
    stops.push(stop);
    return { ...said, ask };
  };
  const server: Starts["server"] = (dataFolder, variant) =>
    program("server.ts", [dataFolder, JSON.stringify(variant)], {
      SQLITE_DRIVER: variant.sqliteDriver ?? "sqlite3",
    });
  try {
    return await use({ program, server });
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

export interface Starts {
  /** @param env variables besides those of this process */
  program(file: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Running>;
  /** Starts a server of one variant on a data folder. */
  server(dataFolder: string, variant: Variant): Promise<Running>;
}

/** Balance of each account of a bench in credits: enough for any number of calls. */
const wealth = 100_000_000;

/** Opens accounts with credits in a data folder or a Postgres, and returns one key of each. */
export async function openAccounts(
  dataFolder: string,
  count: number,
  databaseUrl: string | null = null,
): Promise<string[]> {
  const { accounts, books, storage } = await openDataFolder(benchConfig(dataFolder, databaseUrl));
  const open = async (index: number): Promise<string> => {
    const { id } = await accounts.create({ name: `bench ${index}`, email: null });
    const grant = { entryType: "grant_payment_recharge", description: "bench" } as const;
    await books.move({ accountId: id, amount: micro(wealth), ...grant });
    return (await accounts.addKey(id, "bench")).apiKey;
  };
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => open(index)));
  } finally {
    await storage.close();
  }
}
