import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Config } from "../reference-server/config.ts";
import { basePath } from "../generated/contract.ts";
import { connectPostgres } from "../reference-server/storage/postgres.ts";
import { temporarySchema } from "../reference-server/storage/temporary.fixture.ts";
import { balance } from "./balancer.ts";

/** What a cluster shares. */
export interface Shared {
  /** A Postgres server; the cluster gets a schema of its own in it, dropped afterwards. */
  databaseUrl: string;
  /** A Redis server; the cluster's windows are named apart. */
  redisUrl: string;
}

/** One server of a cluster: a process that can be killed, and started again where it listened. */
export interface ClusterServer {
  origin: string;
  process: ChildProcess;
  /** Settles when the process that runs now has ended. */
  gone: Promise<unknown>;
  /** Starts it again at the same port, once it is gone. */
  restart(): Promise<void>;
}

export interface RunningCluster {
  /** Where clients reach it: each request meets the next server. */
  baseUrl: string;
  /** For people: what balances. */
  balancer: string;
  servers: readonly ClusterServer[];
}

/** The database of a cluster, seen from outside. */
export interface ClusterDatabase {
  /** Ends every connection to it, as a restart of Postgres does. */
  cut(): Promise<void>;
}

/** The configuration of every server of a cluster, made of one; `use` may write to its database before it starts. */
export async function withDatabase<T>(
  config: Config,
  { databaseUrl, redisUrl }: Shared,
  use: (config: Config, database: ClusterDatabase) => Promise<T>,
): Promise<T> {
  const schema = await temporarySchema(databaseUrl);
  const windows = new URL(redisUrl);
  const name = `cluster-${randomBytes(6).toString("hex")}`;
  windows.searchParams.set("prefix", name);
  const cut = async (): Promise<void> => {
    const connection = await connectPostgres(databaseUrl);
    const ofName = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?";
    await connection.all(ofName, [name]);
    await connection.destroy();
  };
  const own = {
    port: 0,
    databaseUrl: `${schema.url}&application_name=${name}`,
    redisUrl: windows.href,
    trustedProxies: ["127.0.0.1"],
  };
  try {
    return await use({ ...config, ...own }, { cut });
  } finally {
    await schema.remove();
  }
}

/**
 * Starts as many servers with the same configuration, behind a balancer, and stops them after `use`. The first one starts
 * alone: they share one data folder, in which it makes the certificates of the embedded object storage.
 * @param script what each process runs: it takes the configuration as JSON, says `{origin}` when it listens, and ends
 *   when it is told `"stop"`.
 */
export async function withCluster<T>(
  count: number,
  config: Config,
  use: (cluster: RunningCluster) => Promise<T>,
  script = new URL("server.ts", import.meta.url),
): Promise<T> {
  const servers: ClusterServer[] = [];
  const start = async (): Promise<void> => void servers.push(await startServer(script, config));
  try {
    await start();
    await Promise.all(Array.from({ length: count - 1 }, start));
    const balancer = await balance(servers.map(({ origin }) => origin));
    try {
      return await use({ baseUrl: balancer.origin + basePath, balancer: balancer.name, servers });
    } finally {
      await balancer.close();
    }
  } finally {
    await Promise.all(servers.map(stopped));
  }
}

async function startServer(script: URL, config: Config): Promise<ClusterServer> {
  const run = async (port: number) => {
    const child = fork(script, [JSON.stringify({ ...config, port })]);
    const gone = once(child, "exit");
    const early = gone.then(([code, signal]) => {
      throw new Error(`a server ended with ${String(code ?? signal)} before it listened`);
    });
    early.catch(() => undefined);
    const [message] = (await Promise.race([once(child, "message"), early])) as [{ origin: string }];
    return { process: child, gone, origin: message.origin };
  };
  const server: ClusterServer = {
    ...(await run(0)),
    async restart() {
      await server.gone;
      Object.assign(server, await run(Number(new URL(server.origin).port)));
    },
  };
  return server;
}

async function stopped({ process: child, gone }: ClusterServer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.connected) return;
  child.send("stop");
  await gone;
}
