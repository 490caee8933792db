import { randomBytes } from "node:crypto";
import type { Config } from "../../../reference-server/config.ts";
import { basePath } from "../../../generated/contract.ts";
import { connectPostgres } from "../../../reference-server/storage/postgres.ts";
import { temporarySchema } from "../../../reference-server/storage/temporary.fixture.ts";
import { startProcess, type Started } from "../started.ts";
import { startNginx } from "./nginx.ts";

/** The services that the servers of a cluster share. */
export interface Shared {
  /** A Postgres server; the cluster uses a schema of its own, dropped afterwards. */
  databaseUrl: string;
  /** A Redis server; the cluster's windows have their own prefix. */
  redisUrl: string;
}

/** One server of a cluster: a process that can be killed and started again on the same port. */
export interface ClusterServer extends Started {
  origin: string;
  /** Starts it again on the same port after it has ended. */
  restart(): Promise<void>;
}

export interface RunningCluster {
  /** The address for clients: each request goes to the next server. */
  baseUrl: string;
  servers: readonly ClusterServer[];
}

/** The database of a cluster, seen from outside. */
export interface ClusterDatabase {
  /** Ends every connection to it, as a restart of Postgres does. */
  cut(): Promise<void>;
}

/**
 * Derives the configuration of all servers of a cluster from one and passes it to `use`, which may write to the
 * database before they start.
 */
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
 * Starts the given number of servers with the same configuration behind nginx, and stops them after `use`. The
 * first starts before the others: it creates the certificates of the embedded object storage in the shared data folder.
 * @param script the program of each process, as serving.ts makes it, with the configuration as JSON
 */
export async function withCluster<T>(
  count: number,
  config: Config,
  use: (cluster: RunningCluster) => Promise<T>,
  script = new URL("../server.ts", import.meta.url),
): Promise<T> {
  const servers: ClusterServer[] = [];
  const start = async (): Promise<void> => void servers.push(await startServer(script, config));
  try {
    await start();
    await Promise.all(Array.from({ length: count - 1 }, start));
    const balancer = await startNginx(servers.map(({ origin }) => origin));
    try {
      return await use({ baseUrl: balancer.origin + basePath, servers });
    } finally {
      await balancer.close();
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function startServer(script: URL, config: Config): Promise<ClusterServer> {
  const run = async (port: number) => {
    const started = await startProcess(script, [JSON.stringify({ ...config, port })]);
    return { ...started, origin: new URL(started.said.baseUrl).origin };
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
