import { version } from "../base/described.ts";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pino, stdSerializers, type DestinationStream, type Logger } from "pino";
import { createAccounts } from "./accounts/accounts.ts";
import { createClaims } from "./accounts/claim.ts";
import { createMailer } from "./accounts/mail.ts";
import { createTokens } from "./accounts/tokens.ts";
import { createBooks, keepSwept } from "./storage/books.ts";
import { createPricing } from "./billing/price.ts";
import { loadCatalog, sampleFolder, usesSampleProvider } from "./catalog/load.ts";
import { basePath } from "../generated/contract.ts";
import { makeFolder } from "../base/write.ts";
import type { Config } from "./config.ts";
import { createMetrics, type ProcessMetrics } from "./http/metrics.ts";
import { createLimiter } from "./http/limiter.ts";
import { connectRedisLimiter, type RedisLimiter } from "./http/redis-limiter.ts";
import type { Catalog } from "./catalog/tool.ts";
import type { Accounts, Books, Clock, Limiter, ObjectStorage, Parts, Random, Tokens } from "./parts.ts";
import { createProviders } from "./providers/client.ts";
import { startSampleProvider } from "./providers/sample.ts";
import { startObjectStorage } from "./results/object-storage.ts";
import { createS3Storage, parseS3Url } from "./results/s3-storage.ts";
import { openStorage, type Connecting, type Storage } from "./storage/open.ts";
import { systemClock } from "./system-clock.ts";
import { createTestClock } from "./test-clock.ts";
import type { Writer } from "./storage/writer.ts";

/** Random bytes fetched together: a call for a few costs as much as one for thousands. */
const pool = { bytes: Buffer.alloc(0), used: 0 };
const poolSize = 4_096;

export const systemRandom: Random = {
  bytes(size) {
    if (pool.used + size > pool.bytes.length) {
      if (size > poolSize) return randomBytes(size);
      Object.assign(pool, { bytes: randomBytes(poolSize), used: 0 });
    }
    return pool.bytes.subarray(pool.used, (pool.used += size));
  },
};

/** Fields that may carry a secret are removed from every log entry. */
const secrets = [
  "authorization",
  "api_key",
  "apiKey",
  "claim_code",
  "claimCode",
  "code",
  "token",
  "password",
];

/** The code of an error, as SQLITE_FULL, ENOSPC, Postgres' 57P01 or a timeout's 23; a mailed code has six digits. */
const errorCode = /^(?:[A-Z][A-Z0-9_]+|[0-9A-Z]{5}|\d{1,2})$/;

const censor = (value: unknown, path: readonly string[]): unknown =>
  path.at(-1) === "code" && errorCode.test(String(value)) ? value : "[secret]";

/** Structured logs without secrets, on the standard error output or another. */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger =>
  pino(
    {
      level,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
    },
    destination,
  );

/** The part shared by server and operator commands: one opened data folder. */
export interface DataFolder {
  path: string;
  clock: Clock;
  random: Random;
  log: Logger;
  storage: Storage;
  tokens: Tokens;
  accounts: Accounts;
  books: Books;
}

/** Replacements for the system's defaults; `connect` is how the writer connects. */
type Given = Partial<Pick<Parts, "clock" | "random" | "log">> & {
  connect?: Connecting;
  onBatch?: (commands: number) => void;
};

/**
 * Opens the data folder, creating it first if necessary.
 * @throws Error with one sentence if the database or the keys cannot be opened
 */
export async function openDataFolder(config: Config, given: Given = {}): Promise<DataFolder> {
  const { random = systemRandom, log = createLog(config.logLevel) } = given;
  const clock = given.clock ?? (config.testClock ? createTestClock() : systemClock);
  await makeFolder(config.dataFolder, 0o700).catch((error: Error) => {
    throw new Error(`data folder ${config.dataFolder}: ${error.message}`, { cause: error });
  });
  const url = config.databaseUrl ?? `file:${join(config.dataFolder, "data.sqlite")}`;
  const { connect, onBatch } = given;
  const storage = await openStorage({
    url,
    clock,
    random,
    log,
    ...(connect && { connect }),
    ...(onBatch && { onBatch }),
    // A given clock is used as it is; otherwise several processes share the database's clock.
    databaseTime: given.clock === undefined,
  });
  const { database, writer } = storage;
  const tokens = await createTokens(config.dataFolder, { clock, random });
  const accounts = createAccounts({ database, writer, tokens, clock, random });
  const books = createBooks({ database, writer });
  return { path: config.dataFolder, clock, random, log, storage, tokens, accounts, books };
}

/** The pool of a database's connections, as knex keeps it. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** The parts of a server by default, and those that need to be closed. */
export interface DefaultParts {
  parts: Parts & { metrics: ProcessMetrics };
  storage: Storage;
  /** Where mails go, for people. */
  mailDestination: string;
  /** The origin of full results, for people. */
  resultsOrigin: string;
  /** The CA certificate that clients of the embedded object storage trust; null for S3. */
  resultsCaFile: string | null;
  /** Resolves when that certificate exists. It is created on the first start, when first needed or by this call. */
  resultsReady(): Promise<void>;
  /** Closes everything that was started, the storage last. */
  close(): Promise<void>;
}

/**
 * Creates the parts of a server: storage in the data folder, the object storage's listener, and the sample provider for
 * the sample catalogue.
 * @throws Error with a sentence for people if one of them cannot be created
 */
export async function defaultParts(config: Config, given: Given = {}): Promise<DefaultParts> {
  const endings: (() => unknown)[] = [];
  const close = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const metrics = createMetrics(version);
    const opening = openDataFolder(config, { ...given, onBatch: metrics.batch });
    const opened = opening.then(
      ({ storage }) => storage,
      () => null,
    );
    endings.push(async () => (await opened)?.close());

    // The rest needs no database and is created while that is opened.
    const catalog = await openCatalog(config, endings);
    const { clock, random, log, storage, tokens, accounts, books } = await opening;
    metrics.countHolds(async () => {
      const [row] = await storage.database("holds").count<{ open: number }[]>({ open: "*" });
      return Number(row?.open);
    });
    const { pool } = storage.database.client as { pool: Pool };
    metrics.watchPool(() => ({
      used: pool.numUsed(),
      free: pool.numFree(),
      pending: pool.numPendingAcquires(),
    }));
    endings.push(await keepSwept(books, log));

    const providers = createProviders({ clock });
    endings.push(() => providers.close());

    const { objects, describe } = await openResults(config, { clock, random, log }, endings);
    const { mailer, claims } = await openClaims(config, { clock, random, writer: storage.writer }, endings);
    const limiter = await openLimiter(config, { clock, log }, endings);
    if ("countsAlone" in limiter) metrics.watchLimiter(() => limiter.countsAlone);
    const parts: DefaultParts["parts"] = {
      clock,
      random,
      log,
      database: storage.database,
      requireReady: storage.requireReady,
      books,
      pricing: createPricing(),
      accounts,
      claims,
      tokens,
      limiter,
      mailer,
      objects,
      catalog,
      providers,
      metrics,
    };
    return {
      parts,
      storage,
      mailDestination: mailer.destination,
      resultsOrigin: describe.origin,
      resultsCaFile: describe.caFile,
      resultsReady: describe.ready,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The catalogue; starts the sample provider where a tool names it, as in the sample and its copies. */
async function openCatalog(config: Config, endings: (() => unknown)[]): Promise<Catalog> {
  const folder = config.catalogFolder ?? sampleFolder;
  const sample = usesSampleProvider(folder) ? await startSampleProvider() : null;
  if (sample !== null) endings.push(() => sample.stop());
  return loadCatalog(folder, {
    providerBaseUrl: sample?.url ?? "",
    env: process.env,
  });
}

/** Claims, with the mailer for their codes. */
async function openClaims(
  config: Config,
  { clock, random, writer }: { clock: Clock; random: Random; writer: Writer },
  endings: (() => unknown)[],
) {
  const mailer = await createMailer(
    { smtpUrl: config.smtpUrl, from: config.mailFrom, outbox: join(config.dataFolder, "outbox") },
    { clock, random },
  );
  endings.push(() => mailer.close());
  const origin = config.publicUrl ?? baseUrl(config.host, config.port).slice(0, -basePath.length);
  const pageUrl = `${origin.replace(/\/+$/, "")}/claim`;
  const claims = createClaims(
    { writer, clock, random, mailer },
    { blockedEmailDomains: config.blockedEmailDomains, pageUrl },
  );
  return { mailer, claims };
}

/** The limiter of this process, or one shared with others through Redis. */
async function openLimiter(
  config: Config,
  { clock, log }: Pick<Parts, "clock" | "log">,
  endings: (() => unknown)[],
): Promise<Limiter | RedisLimiter> {
  const windows = { clock, windowSeconds: config.windowSeconds, kind: config.windowKind };
  if (config.redisUrl === null) return createLimiter(windows);
  const shared = await connectRedisLimiter({ ...windows, url: config.redisUrl, log });
  endings.push(() => shared.close());
  return shared;
}

/** The description of the object storage for people; see DefaultParts. */
interface Described {
  origin: string;
  caFile: string | null;
  ready(): Promise<void>;
}

/** The object storage of full results: an S3 bucket if one is configured, else our own listener. */
async function openResults(
  config: Config,
  parts: Pick<Parts, "clock" | "random" | "log">,
  endings: (() => unknown)[],
): Promise<{ objects: ObjectStorage; describe: Described }> {
  const { resultLifetimeMs: lifetimeMs } = config;
  const lifetime = lifetimeMs === undefined ? {} : { lifetimeMs };
  if (config.resultsUrl !== null) {
    const options = { ...parseS3Url(config.resultsUrl), ...lifetime };
    const objects = createS3Storage(options, parts);
    const origin = `the S3 bucket ${options.bucket}`;
    return { objects, describe: { origin, caFile: null, ready: () => Promise.resolve() } };
  }
  const embedded = await startObjectStorage(
    {
      folder: join(config.dataFolder, "results"),
      host: config.host,
      port: config.objectStoragePort,
      publicHost: config.objectStorageHost,
      ...lifetime,
    },
    parts,
  );
  endings.push(() => embedded.close());
  return { objects: embedded, describe: embedded };
}

/** The base URL of the operations, for clients. */
export const baseUrl = (host: string, port: number): string =>
  `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}${basePath}`;
