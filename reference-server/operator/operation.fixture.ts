import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { contradictions, readAccount, type AccountReading } from "../account-reading.fixture.ts";
import { sampleTools } from "../catalog/sample-roles.ts";
import { defaultConfig, type Config } from "../config.ts";
import { baseUrl, createLog, defaultParts } from "../parts-default.ts";
import { createServer } from "../server.ts";
import { connectPostgres } from "../storage/postgres.ts";
import { connectSqlite } from "../storage/sqlite.ts";
import { temporarySchema } from "../storage/temporary.fixture.ts";
import { unlimitedQuotas } from "../unlimited.fixture.ts";

/*
 * The instructions of docs/operation.md for an operator, carried out.
 */

/** A database of the reference server, and how it is backed up and restored. */
interface Kept {
  databaseUrl: string | null;
  backUp(folder: string): Promise<void>;
  /** Into an empty database. */
  restore(folder: string): Promise<void>;
  /** Adds a step that a newer version would have taken. */
  upgrade(): Promise<void>;
  remove(): Promise<void>;
}

const future = "INSERT INTO schema_steps (name) VALUES ('999-of-a-newer-version')";

function sqlite(data: string): Kept {
  const file = join(data, "data.sqlite");
  const run = async (statement: string): Promise<void> => {
    const connection = await connectSqlite(file);
    await connection.all(statement);
    await connection.destroy();
  };
  return {
    databaseUrl: null,
    backUp: (folder) => run(`VACUUM INTO '${join(folder, "data.sqlite")}'`),
    restore: (folder) => cp(join(folder, "data.sqlite"), file),
    upgrade: () => run(future),
    remove: async () => undefined,
  };
}

async function postgres(server: string): Promise<Kept> {
  const { url, remove } = await temporarySchema(server);
  const schema = /search_path=(\w+)/.exec(decodeURIComponent(url))![1]!;
  const file = (folder: string): string => join(folder, "data.dump");
  const run = async (address: string, statement: string): Promise<void> => {
    const connection = await connectPostgres(address);
    await connection.all(statement);
    await connection.destroy();
  };
  return {
    databaseUrl: url,
    async backUp(folder) {
      const flags = ["--format=custom", `--schema=${schema}`, `--file=${file(folder)}`];
      execFileSync("pg_dump", [...flags, server]);
    },
    async restore(folder) {
      await run(server, `DROP SCHEMA ${schema} CASCADE`);
      execFileSync("pg_restore", [`--dbname=${server}`, file(folder)]);
    },
    upgrade: () => run(url, future),
    remove,
  };
}

/** Starts the server on a data folder, passes its address on and stops it. */
async function serving<T>(config: Config, use: (url: string) => Promise<T>): Promise<T> {
  const { parts, close } = await defaultParts(config, { log: createLog("silent") });
  const server = createServer(config, parts);
  try {
    return await use(baseUrl(config.host, await server.start(0)));
  } finally {
    await server.stop();
    await close();
  }
}

const repository = resolve(import.meta.dirname, "../..");

/**
 * An earlier version: the last commit whose schema lacks the step 005. It runs with the packages of today; once it no longer
 * can, a later one takes its place.
 */
const earlier = "e2c5e8f621ac25bbd42abb52176c8471a3267159";
const hasEarlier = spawnSync("git", ["cat-file", "-e", earlier], { cwd: repository }).status === 0;

/** The folder of its sources; its processes compile them once. */
const sources = mkdtempSync(join(tmpdir(), "capability-earlier-"));
afterAll(() => rm(sources, { recursive: true, force: true }));
if (hasEarlier) {
  const archive = execFileSync("git", ["archive", earlier], { cwd: repository, maxBuffer: 1e9 });
  execFileSync("tar", ["x", "-C", sources], { input: archive });
  await symlink(join(repository, "node_modules"), join(sources, "node_modules"));
}

/** Starts the earlier version on a data folder, passes its address on and stops it. */
async function servingEarlier<T>(
  { dataFolder, databaseUrl }: Config,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const flags = ["--port", "0", "--data", dataFolder];
  if (databaseUrl !== null) flags.push("--database-url", databaseUrl);
  const child = spawn(process.execPath, [join(sources, "cli.ts"), "start", ...flags], { cwd: sources });
  const ended = once(child, "exit");
  let said = "";
  const url = await new Promise<string>((listening, failed) => {
    const hear = (chunk: Buffer): void => {
      said += String(chunk);
      const [, address] = /listens at (\S+)/.exec(said) ?? [];
      if (address !== undefined) listening(address);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    void ended.then(() => failed(new Error(said)));
  });
  try {
    return await use(url);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

const post = async (url: string, body: object, key?: string): Promise<Record<string, unknown>> => {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
};

const call = (url: string, key: string) =>
  post(
    `${url}/tools/execute`,
    { tool_id: sampleTools.charged.id, parameters: sampleTools.charged.parameters },
    key,
  );

const rows = ({ events, entries, remaining }: AccountReading) => ({ events, entries, remaining });

const url = process.env["TEST_DATABASE_URL"];
const hasDump = spawnSync("pg_dump", ["--version"]).status === 0;

/** The databases, and how each is opened. */
export const databases = { SQLite: sqlite, Postgres: () => postgres(url!) } as const;
type Database = keyof typeof databases;

const isLeftOut = (database: Database): boolean => database === "Postgres" && (url === undefined || !hasDump);

/** Shows that a backup can be restored, and that an older version refuses a newer database. */
export const proveBackup = (database: Database): void =>
  test.skipIf(isLeftOut(database))(
    `on ${database}, a backup of the running server holds the account as it was, and an older version refuses a newer database`,
    async () => {
      const home = await mkdtemp(join(tmpdir(), "capability-operation-"));
      const [data, backup] = [join(home, "data"), join(home, "backup")];
      for (const folder of [data, backup]) await mkdir(folder);
      const kept = await databases[database](data);
      const { databaseUrl } = kept;
      const config: Config = {
        ...defaultConfig,
        dataFolder: data,
        databaseUrl,
        port: 0,
        quotas: unlimitedQuotas,
      };
      try {
        const { key, before } = await serving(config, async (api) => {
          const { data: trial } = await post(`${api}/agent/anonymous-register`, {});
          const { api_key: key } = trial as { api_key: string };
          for (let made = 0; made < 3; made += 1)
            expect(await call(api, key)).toMatchObject({ success: true });
          const before = await readAccount(api, key);
          await kept.backUp(backup);
          await cp(join(data, "token-key"), join(backup, "token-key"));
          expect(await call(api, key)).toMatchObject({ success: true });
          return { key, before };
        });
        await rm(data, { recursive: true });
        await mkdir(data);
        await kept.restore(backup);
        await cp(join(backup, "token-key"), join(data, "token-key"));
        await serving(config, async (api) => {
          const restored = await readAccount(api, key);
          expect(rows(restored)).toEqual(rows(before));
          expect(contradictions(restored)).toEqual([]);
          expect(await call(api, key)).toMatchObject({ success: true });
          expect(contradictions(await readAccount(api, key))).toEqual([]);
        });
        await kept.upgrade();
        await expect(serving(config, async () => undefined)).rejects.toThrow("written by a newer version");
      } finally {
        await kept.remove();
        await rm(home, { recursive: true, force: true });
      }
    },
    60_000,
  );

/** Shows that an earlier version's database is upgraded, and that its backup rolls back. */
export const proveRollBack = (database: Database): void =>
  test.skipIf(isLeftOut(database) || !hasEarlier)(
    `on ${database}, an earlier version's database is upgraded, and its backup rolls back`,
    async () => {
      const home = await mkdtemp(join(tmpdir(), "capability-versions-"));
      const [data, backup] = [join(home, "data"), join(home, "backup")];
      for (const folder of [data, backup]) await mkdir(folder);
      const kept = await databases[database](data);
      const config = { ...defaultConfig, dataFolder: data, databaseUrl: kept.databaseUrl, port: 0 };
      try {
        const { key, before } = await servingEarlier(config, async (api) => {
          const { data: trial } = await post(`${api}/agent/anonymous-register`, {});
          const { api_key: key } = trial as { api_key: string };
          for (let made = 0; made < 3; made += 1)
            expect(await call(api, key)).toMatchObject({ success: true });
          return { key, before: await readAccount(api, key) };
        });
        await kept.backUp(backup);
        await cp(join(data, "token-key"), join(backup, "token-key"));

        await serving(config, async (api) => {
          expect(rows(await readAccount(api, key))).toEqual(rows(before));
          expect(await call(api, key)).toMatchObject({ success: true });
          expect(contradictions(await readAccount(api, key))).toEqual([]);
        });
        await expect(servingEarlier(config, async () => undefined)).rejects.toThrow("newer version");

        await rm(data, { recursive: true });
        await mkdir(data);
        await kept.restore(backup);
        await cp(join(backup, "token-key"), join(data, "token-key"));
        await servingEarlier(config, async (api) => {
          expect(rows(await readAccount(api, key))).toEqual(rows(before));
          expect(await call(api, key)).toMatchObject({ success: true });
        });
      } finally {
        await kept.remove();
        await rm(home, { recursive: true, force: true });
      }
    },
  );
