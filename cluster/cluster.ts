import { fork, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Config } from "../reference-server/config.ts";
import { basePath } from "../reference-server/config.ts";
import { temporarySchema } from "../reference-server/storage/temporary.ts";
import { roundRobin } from "./round-robin.ts";

/** What a cluster shares. */
export interface Shared {
  /** A Postgres server; the cluster gets a schema of its own in it, dropped afterwards. */
  databaseUrl: string;
  /** A Redis server; the cluster's windows are named apart. */
  redisUrl: string;
}

export interface RunningCluster {
  /** Where clients reach it: each request meets the next server. */
  baseUrl: string;
  /** Each server by itself. */
  origins: readonly string[];
  servers: readonly ChildProcess[];
}

/** The configuration of every server of a cluster, made of one; `use` may write to its database before it starts. */
export async function withDatabase<T>(
  config: Config,
  { databaseUrl, redisUrl }: Shared,
  use: (config: Config) => Promise<T>,
): Promise<T> {
  const schema = await temporarySchema(databaseUrl);
  const windows = new URL(redisUrl);
  windows.searchParams.set("prefix", `cluster-${randomBytes(6).toString("hex")}`);
  try {
    return await use({
      ...config,
      port: 0,
      databaseUrl: schema.url,
      redisUrl: windows.href,
      trustedProxies: ["127.0.0.1"],
    });
  } finally {
    await schema.remove();
  }
}

/**
 * Starts as many servers with the same configuration, behind a proxy, and stops them after `use`. The first one starts
 * alone: they share one data folder, in which it makes the certificates of the embedded object storage.
 */
export async function withCluster<T>(
  count: number,
  config: Config,
  use: (cluster: RunningCluster) => Promise<T>,
): Promise<T> {
  const servers: ChildProcess[] = [];
  const start = (): Promise<string> => {
    const server = fork(new URL("server.ts", import.meta.url), [JSON.stringify(config)]);
    servers.push(server);
    return started(server);
  };
  try {
    const origins = [await start(), ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
    const proxy = await roundRobin(origins);
    try {
      return await use({ baseUrl: proxy.origin + basePath, origins, servers });
    } finally {
      await proxy.close();
    }
  } finally {
    await Promise.all(servers.map(stopped));
  }
}

async function started(server: ChildProcess): Promise<string> {
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`a server ended with status ${String(code)} before it listened`);
  });
  const [message] = (await Promise.race([once(server, "message"), ended])) as [{ origin: string }];
  ended.catch(() => undefined);
  return message.origin;
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null || !server.connected) return;
  const ended = once(server, "exit");
  server.send("stop");
  await ended;
}
