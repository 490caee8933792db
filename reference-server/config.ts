import { limitedOperations, operations, type LimitedOperation } from "../generated/contract.ts";

/** Requests per window of one account (contract: Limits), and of one address to the open operations. */
export type Quotas = Record<LimitedOperation | "anonymous", number>;

const accountQuotas = Object.fromEntries(
  limitedOperations.map((id) => [id, operations[id].rateLimit.requests]),
) as Record<LimitedOperation, number>;

/** The settings of a server. */
export interface Config {
  host: string;
  port: number;
  /** Folder of the database, the signing keys, the outbox and the stored results. */
  dataFolder: string;
  /** Folder of catalogue YAML; null for the sample catalogue. */
  catalogFolder: string | null;
  /** A Postgres address; null for the SQLite file in the data folder. */
  databaseUrl: string | null;
  /**
   * A Redis or Valkey address, or several of one cluster separated by commas; null to count requests only in this
   * process.
   */
  redisUrl: string | null;
  /** An SMTP address; null to write mails into the outbox folder. */
  smtpUrl: string | null;
  /** The sender of every mail. */
  mailFrom: string;
  /** The public address of this server, used in mails and pages. Null: derived from host and port. */
  publicUrl: string | null;
  quotas: Quotas;
  /** Length of a rate-limit window. */
  windowSeconds: number;
  windowKind: "aligned" | "first-request" | "sliding";
  /** Addresses or networks whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** Origins whose pages may call the API, such as https://app.example; `*` for any. */
  corsOrigins: readonly string[];
  /** The most operations in progress; further requests get 503 before any of their body is read. */
  maxInFlight: number;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** The price of one Discover in credits; 0 for a deployment that does not charge it. */
  discoverPrice: number;
  /** E-mail domains whose claim the risk check blocks. */
  blockedEmailDomains: readonly string[];
  /** `refuse`: an answer that breaks the contract becomes a 500. `report`: it is sent, logged and counted. */
  brokenAnswers: "refuse" | "report";
  /** An S3 address for full results (results/s3-storage.ts); null for a listener of the server's own. */
  resultsUrl: string | null;
  /** Lifetime of a signed address of a full result; two hours by default. */
  resultLifetimeMs?: number;
  /** Port of the listener that serves full results, on an origin of its own; 0 for a free one. */
  objectStoragePort: number;
  /** Host name in the addresses of full results; null for the listening address. */
  objectStorageHost: string | null;
  logLevel: string;
  /** Whether the clock can be advanced, at an address outside the API (test-clock.ts). */
  testClock: boolean;
  /** The seed of the faults injected for testing clients (chaos/); null for none. */
  chaosSeed: string | null;
}

/** The contract's quotas and defaults, for development and tests. */
export const defaultConfig: Config = {
  host: "127.0.0.1",
  port: 8080,
  dataFolder: "data",
  catalogFolder: null,
  databaseUrl: null,
  redisUrl: null,
  smtpUrl: null,
  mailFrom: "Capability service <no-reply@localhost>",
  publicUrl: null,
  quotas: { ...accountQuotas, anonymous: 60 },
  windowSeconds: operations.call.rateLimit.windowSeconds,
  windowKind: "aligned",
  trustedProxies: [],
  corsOrigins: [],
  maxInFlight: 1_000,
  bodyLimit: 1_048_576,
  discoverPrice: 0,
  blockedEmailDomains: ["blocked.example"],
  brokenAnswers: "refuse",
  resultsUrl: null,
  objectStoragePort: 0,
  objectStorageHost: null,
  logLevel: "info",
  testClock: false,
  chaosSeed: null,
};
