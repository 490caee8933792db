import { limitedOperations, operations, type LimitedOperation } from "../generated/contract.ts";

/** Requests that one account may send in one window (contract: Limits), and one address to the open operations. */
export type Quotas = Record<LimitedOperation | "anonymous", number>;

const accountQuotas = Object.fromEntries(
  limitedOperations.map((id) => [id, operations[id].rateLimit.requests]),
) as Record<LimitedOperation, number>;

/** Everything about a server that an operator may set. */
export interface Config {
  host: string;
  port: number;
  /** Folder of the database, the keys that sign, the outbox and the stored results. */
  dataFolder: string;
  /** Folder of catalogue YAML; null for the sample catalogue. */
  catalogFolder: string | null;
  /** A Postgres address; null for the SQLite file in the data folder. */
  databaseUrl: string | null;
  /** A Redis or Valkey address, or several of one cluster by commas; null to count requests in this process alone. */
  redisUrl: string | null;
  /** An SMTP address; null to write mails into the outbox folder. */
  smtpUrl: string | null;
  /** Where people reach this server; used in mails and pages. Null: made of host and port. */
  publicUrl: string | null;
  quotas: Quotas;
  /** Length of a rate-limit window. */
  windowSeconds: number;
  windowKind: "aligned" | "first-request" | "sliding";
  /** Addresses or networks whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Operations under way at once; beyond it a request is refused with 503 before anything of it is read. */
  mostInFlight: number;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** Credits that one Discover costs: 0 where a deployment does not charge it. */
  discoverPrice: number;
  /** E-mail domains whose claim the risk check blocks. */
  blockedEmailDomains: readonly string[];
  /** `refuse`: an answer that breaks the contract becomes a 500. `report`: it is sent, logged and counted. */
  brokenAnswers: "refuse" | "report";
  /** An S3 address for full results (results/s3-storage.ts); null for a listener of the server's own. */
  resultsUrl: string | null;
  /** Port of the listener that serves full results, on an origin of its own; 0 takes a free one. */
  objectStoragePort: number;
  /** Host name in the addresses of full results; null: the one listened at. */
  objectStorageHost: string | null;
  logLevel: string;
  /** The seed of the faults with which a client is tested (chaos/); null for a server as friendly as it can be. */
  chaosSeed: string | null;
}

/** The contract's quotas and defaults, for a server of development or of a test. */
export const defaultConfig: Config = {
  host: "127.0.0.1",
  port: 8080,
  dataFolder: "data",
  catalogFolder: null,
  databaseUrl: null,
  redisUrl: null,
  smtpUrl: null,
  publicUrl: null,
  quotas: { ...accountQuotas, anonymous: 60 },
  windowSeconds: operations.call.rateLimit.windowSeconds,
  windowKind: "aligned",
  trustedProxies: [],
  mostInFlight: 1_000,
  bodyLimit: 1_048_576,
  discoverPrice: 0,
  blockedEmailDomains: ["blocked.example"],
  brokenAnswers: "refuse",
  resultsUrl: null,
  objectStoragePort: 0,
  objectStorageHost: null,
  logLevel: "info",
  chaosSeed: null,
};
