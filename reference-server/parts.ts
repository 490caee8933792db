import type { ChargeOutcome, EntryType, ReasonCode } from "../generated/contract.ts";
import type { Catalog, Tool } from "./catalog/tool.ts";
import type { Micro } from "./billing/money.ts";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { NewUsageEvent, UsageEventRow } from "./records.ts";

/** The time in epoch milliseconds. The server has no other source of time. */
export interface Clock {
  now(): number;
  /** Sets the clock ahead; only a test clock can be. */
  advance?(ms: number): void;
}

/** Unguessable bytes. The server has no other source of randomness. */
export interface Random {
  bytes(size: number): Buffer;
}

/** The limiter's verdict on one request, in the values of the rate-limit headers. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix epoch seconds at which the window ends. */
  reset: number;
  /** Whole seconds, at least 1, until a request would be admitted. */
  retryAfter: number;
}

/** Counts requests. A bucket is one account (or one client address) on one operation. */
export interface Limiter {
  take(bucket: string, quota: number): Promise<Allowance>;
}

/** Sends one plain-text mail. */
export interface Mailer {
  send(mail: { to: string; subject: string; text: string }): Promise<void>;
}

/** Keeps full results outside the API's origin, at signed HTTPS addresses that expire. */
export interface ObjectStorage {
  /**
   * Stores content of an account and returns its address, valid until the lifetime ends or newer content of the same
   * account needs the space.
   */
  put(name: string, content: string, contentType: string, accountId: string): Promise<string>;
}

/** The result of one execution at the provider, before billing. */
export interface Execution {
  reason: ReasonCode;
  /** Recorded success: whether the tool did its work. */
  success: boolean;
  /** The provider's payload as any JSON value; undefined if there is none. */
  data?: unknown;
  /** The provider's HTTP status, if it answered. */
  statusCode: number | null;
  /** A sentence for people if success is false. */
  message: string | null;
  /** The number of billable units in the result (rows for per-row prices, else 1). */
  quantity: number;
  durationMs: number;
}

/** Calls third parties over HTTP. Never throws: every failure is an Execution with its reason. */
export interface Providers {
  /** @param hold counts the bytes that an answer takes; where it throws, the answer is abandoned */
  execute(
    tool: Tool,
    parameters: Record<string, unknown>,
    hold?: (bytes: number) => void,
  ): Promise<Execution>;
}

/** The statement before settlement, fixed when the call is made. */
export interface Bill {
  summary: string;
  unit: string;
  unitPrice: Micro;
  quantity: number;
  /** The amount before discounts and no-charge rules. */
  listAmount: Micro;
}

/** The final settlement, before it is written. */
export interface Settlement {
  /** Effective (billing) success; may differ from the recorded one. */
  billableSuccess: boolean;
  amount: Micro;
  chargeOutcome: ChargeOutcome;
  reason: ReasonCode;
}

/** The billing rules, as pure functions. A part, so that tests can replace it. */
export interface Pricing {
  /** The price of one call in advance; `exact` if no result can change it. */
  estimate(tool: Tool): { amount: Micro; exact: boolean; basis: string };
  /** The maximum price of one call: the amount held. */
  upperBound(tool: Tool): Micro;
  bill(tool: Tool, execution: Execution): Bill;
  settle(tool: Tool, execution: Execution, bill: Bill): Settlement;
}

/** The credits of an account by category, in micro-credits. */
export interface Balance {
  /** The spendable amount: everything remaining less what is held. */
  available: Micro;
  held: Micro;
  welcomeBonus: { remaining: Micro; initial: Micro };
  inviteReward: { remaining: Micro; total: Micro };
  purchased: { remaining: Micro; total: Micro };
}

/** A written usage event, with the effect of its settlement. */
export interface Recorded {
  event: UsageEventRow;
  /** Available credits after the write. */
  remaining: Micro;
}

/**
 * The write side of money and audit: everything goes through one queue, is committed in batches, and is acknowledged
 * only after COMMIT.
 */
export interface Books {
  /** Reserves `amount` durably for one execution; `false` if the available balance does not cover it (402). */
  hold(hold: {
    accountId: string;
    executionId: string;
    amount: Micro;
    event: NewUsageEvent;
  }): Promise<boolean>;
  /** Releases the hold, moves the settled amount, and writes the event and the entry: one commit, once. */
  settle(executionId: string, event: NewUsageEvent): Promise<Recorded>;
  /** Writes an event without a hold; with a positive settled amount also its entry (a charged Discover). */
  record(event: NewUsageEvent): Promise<Recorded | "insufficient">;
  /** A grant (positive), or a refund that takes credits back (negative). Returns the entry's id. */
  move(move: {
    accountId: string;
    entryType: EntryType;
    amount: Micro;
    description: string;
  }): Promise<string>;
  /** Voids the holds of processes that died, each with a usage event that says so. Returns their number. */
  sweep(): Promise<number>;
  balance(accountId: string): Promise<Balance>;
}

type AccountType = "trial" | "formal";

export interface Account {
  id: string;
  type: AccountType;
  name: string | null;
  email: string | null;
  createdAt: number;
  /** Epoch ms at which an unclaimed trial's key expires; null for formal accounts. */
  trialExpiresAt: number | null;
}

/** How the caller of a request was authenticated. */
export interface Credential {
  type: "api_key" | "jwt" | "delegation" | "oauth";
  apiKeyId: string | null;
  oauthClientId: string | null;
  /** The constraints of a delegation token. */
  delegation: { runId: string; providerId: string; maxCredits: number | null } | null;
}

export interface Caller {
  account: Account;
  credential: Credential;
}

/** Why a credential was refused, as a sentence for the 401. */
export interface Refusal {
  refused: string;
}

/** Accounts, their keys and their claims. */
export interface Accounts {
  /** The holder of an `Authorization: Bearer …` value. */
  authenticate(token: string): Promise<Caller | Refusal>;
  /** Opens a trial account with its welcome bonus. The key and the code are returned once and stored only as hashes. */
  registerTrial(agentName: string | null): Promise<{ account: Account; apiKey: string; claimCode: string }>;
  /** Opens a formal account without credits (operator command). */
  create(account: { name: string; email: string | null }): Promise<Account>;
  addKey(accountId: string, name: string): Promise<{ id: string; apiKey: string }>;
  /** Revokes a key immediately for all servers. Returns whether it existed. */
  revokeKey(keyId: string): Promise<boolean>;
  /** The displayed form of a key: name and masked value. */
  describeKey(keyId: string): Promise<{ id: string; name: string; masked_value: string } | null>;
}

/** Operations on the claim of a trial account; see accounts/claim.ts. */
export interface Claims {
  start(
    claimCode: string,
    email: string,
  ): Promise<
    | { status: "code_sent"; emailMasked: string; codeExpiresAt: number }
    | { status: "blocked"; reason: string }
    | { status: "refused"; reason: string; field: "claim_code" | "email" }
  >;
  verify(
    claimCode: string,
    email: string,
    code: string,
  ): Promise<
    | { status: "claimed"; account: Account }
    | { status: "refused"; reason: string; field: "claim_code" | "email" | "code" }
  >;
}

/** Signed tokens: JWTs of accounts and constrained delegation tokens. */
export interface Tokens {
  sign(claims: {
    accountId: string;
    lifetimeMs: number;
    oauthClientId?: string;
    delegation?: { runId: string; providerId: string; maxCredits: number | null };
  }): Promise<string>;
  /** Checks signature, algorithm, audience and time; returns the payload only for a token that this server issued. */
  verify(token: string): Promise<{
    valid: boolean;
    expired: boolean;
    payload: Record<string, unknown> | null;
    reason: string | null;
  }>;
}

/** Metrics of the server for its operator. */
export interface Metrics {
  /** Records an answered request; `operation` is null outside the contract. */
  request(operation: string | null, status: number, seconds: number): void;
  /** Records an answer that broke the contract. */
  brokenAnswer(operation: string): void;
  /** All metrics in Prometheus format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** The parts of a server. A test, a mutant or a variation replaces one of them. */
export interface Parts {
  clock: Clock;
  random: Random;
  log: Logger;
  /** Read connections; all writes go through books, accounts and claims. */
  database: Knex;
  /**
   * Requires that the database can be read and written at present.
   * @throws NotReady (storage/open.ts) with what it lacks
   */
  requireReady(): Promise<void>;
  books: Books;
  pricing: Pricing;
  accounts: Accounts;
  claims: Claims;
  tokens: Tokens;
  limiter: Limiter;
  mailer: Mailer;
  objects: ObjectStorage;
  catalog: Catalog;
  providers: Providers;
  /** Without metrics nothing is counted and /metrics does not exist. */
  metrics?: Metrics;
}
