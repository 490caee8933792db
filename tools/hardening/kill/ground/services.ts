import { randomBytes } from "node:crypto";
import { connectPostgres } from "../../../../reference-server/storage/postgres.ts";
import type { Shared } from "../../cluster/cluster.ts";
import { databaseProxy, type DatabaseProxy } from "../database-proxy.ts";
import type { Ending, Fault, Ground } from "./fault.ts";

/** The ground of a server on Postgres and Redis: a database and a role of its own, each service behind a proxy. */
export interface ServiceGround extends Ground {
  databaseUrl: string;
  redisUrl: string;
  close(): Promise<void>;
}

/** A server on Postgres learns from the real clock that another one died, so that no round kills it: `npm run kill -- --database`. */
const endings: readonly Ending[] = ["goes on", "is stopped after"];

/**
 * Lays the ground in running services.
 * @param shared.databaseUrl of a role that may create roles and databases
 */
export async function layServices(shared: Shared): Promise<ServiceGround> {
  const name = `ground_${randomBytes(6).toString("hex")}`;
  const operate = async (...statements: string[]): Promise<void> => {
    const connection = await connectPostgres(shared.databaseUrl);
    try {
      for (const statement of statements) await connection.all(statement);
    } finally {
      await connection.destroy();
    }
  };
  await operate(`CREATE ROLE ${name} LOGIN`, `CREATE DATABASE ${name} OWNER ${name}`);
  const own = new URL(shared.databaseUrl);
  Object.assign(own, { username: name, password: "", pathname: `/${name}` });
  const windows = new URL(shared.redisUrl);
  windows.searchParams.set("prefix", name);
  windows.port ||= "6379";
  const [postgres, redis] = [await databaseProxy(own.href), await databaseProxy(windows.href)];
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
  /** A change of the role that new connections meet: those that are open are cut. */
  const changed = (what: string, begin: string, end: string): Fault => ({
    name: what,
    begin: () => operate(`ALTER ROLE ${name} ${begin}`, cut),
    end: () => operate(`ALTER ROLE ${name} ${end}`, cut),
    ...lasting(true),
  });
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    faults: [
      gone("Postgres is gone", postgres, true),
      frozen("Postgres is frozen", postgres, true),
      changed(
        "Postgres takes no writes",
        "SET default_transaction_read_only = on",
        "RESET default_transaction_read_only",
      ),
      changed("Postgres has no connection left", "CONNECTION LIMIT 0", "CONNECTION LIMIT -1"),
      commits("COMMITs do not reach Postgres", postgres, "lost"),
      commits("COMMITs are not answered", postgres, "unanswered"),
      gone("Redis is gone", redis, false),
      frozen("Redis is frozen", redis, false),
    ],
    missing: [],
    async close() {
      await postgres.close();
      await redis.close();
      await operate(`DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}`);
    },
  };
}

const lasting = (stopsAll: boolean): Pick<Fault, "lasts" | "endings" | "stopsAll"> => ({
  lasts: [0, 4_000],
  endings,
  stopsAll,
});

const gone = (name: string, proxy: DatabaseProxy, stopsAll: boolean): Fault => ({
  name,
  begin: () => Promise.resolve(proxy.down()),
  end: () => Promise.resolve(proxy.up()),
  ...lasting(stopsAll),
});

const frozen = (name: string, proxy: DatabaseProxy, stopsAll: boolean): Fault => ({
  name,
  begin: () => Promise.resolve(proxy.stall()),
  end: () => Promise.resolve(proxy.resume()),
  ...lasting(stopsAll),
});

/** Where COMMITs fail, the sweep's do too; what was written before is served. */
const commits = (name: string, proxy: DatabaseProxy, fate: "lost" | "unanswered"): Fault => ({
  name,
  begin: () => Promise.resolve((proxy.onCommit = () => fate)),
  end: () => Promise.resolve((proxy.onCommit = () => "passes")),
  ...lasting(false),
});
