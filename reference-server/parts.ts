import type { ChargeOutcome, EntryType, ReasonCode } from "../generated/contract.ts";
import type { Catalog, Tool } from "./catalog/tool.ts";
import type { Micro } from "./billing/money.ts";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { NewUsageEvent, UsageEventRow } from "./records.ts";

/** The time, in epoch milliseconds. Nothing else in the server knows the time. */
export interface Clock {
  now(): number;
}

/** Unguessable bytes. Nothing else in the server is random. */
export interface Random {
  bytes(size: number): Buffer;
}

/** What the limiter answers for one request; the rate-limit headers say the same. */
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

/** Keeps full results outside the API's origin and hands out signed, expiring HTTPS addresses. */
export interface ObjectStorage {
  /**
   * Stores the content of an account and answers the address under which it can be fetched until the lifetime ends, or
   * until newer content of the same account needs the room.
   */
  put(name: string, content: string, contentType: string, accountId: string): Promise<string>;
}

/** What came of one execution at the provider, before anybody thinks of money. */
export interface Execution {
  reason: ReasonCode;
  /** The recorded success: whether the tool did its work. */
  success: boolean;
  /** The provider's payload as any JSON value; undefined when there is none. */
  data?: unknown;
  /** The provider's HTTP status, when it answered. */
  statusCode: number | null;
  /** A sentence for people when success is false. */
  message: string | null;
  /** How many units of the tool's billing rule the result holds (rows for per-row prices, else 1). */
  quantity: number;
  durationMs: number;
}

/** Calls third parties over HTTP. Never throws: whatever goes wrong is an Execution with its reason. */
export interface Providers {
  execute(tool: Tool, parameters: Record<string, unknown>): Promise<Execution>;
}

/** The statement before settlement, frozen when the call is made. */
export interface Bill {
  summary: string;
  unit: string;
  unitPrice: Micro;
  quantity: number;
  /** Before discounts and no-charge rules. */
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

/** The rules of money, pure. Parts, so that each can be held by a test. */
export interface Pricing {
  /** What one call costs before it is made; `exact` when nothing in the result can change it. */
  estimate(tool: Tool): { amount: Micro; exact: boolean; basis: string };
  /** The most that one call can cost: what is held. */
  upperBound(tool: Tool): Micro;
  bill(tool: Tool, execution: Execution): Bill;
  settle(tool: Tool, execution: Execution, bill: Bill): Settlement;
}

/** What an account owns, by category, in micro-credits. */
export interface Balance {
  /** What can be spent now: everything remaining less what is held. */
  available: Micro;
  held: Micro;
  welcomeBonus: { remaining: Micro; initial: Micro };
  inviteReward: { remaining: Micro; total: Micro };
  purchased: { remaining: Micro; total: Micro };
}

/** A written usage event, with what its settlement moved. */
export interface Recorded {
  event: UsageEventRow;
  /** Available credits after the write. */
  remaining: Micro;
}

/**
 * The writing side of money and audit: everything goes through one queue, is committed together with whatever else
 * waits, and is acknowledged only after COMMIT.
 */
export interface Books {
  /** Reserves `amount` durably for one execution; `false` when the available balance does not cover it (402). */
  hold(hold: {
    accountId: string;
    executionId: string;
    amount: Micro;
    event: NewUsageEvent;
  }): Promise<boolean>;
  /** Releases the hold, moves the settled amount, writes the one event and the one entry: a single commit, once. */
  settle(executionId: string, event: NewUsageEvent): Promise<Recorded>;
  /** Writes an event that needed no hold; with a positive settled amount also its entry (a charged Discover). */
  record(event: NewUsageEvent): Promise<Recorded | "insufficient">;
  /** A grant (positive) or a refund taken back (negative). Answers the entry's id. */
  move(move: {
    accountId: string;
    entryType: EntryType;
    amount: Micro;
    description: string;
  }): Promise<string>;
  /** Voids the holds of processes that died, each with a usage event that says so. Answers how many. */
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
  /** Epoch ms at which an unclaimed trial's key stops working; null for formal accounts. */
  trialExpiresAt: number | null;
}

/** How the caller of an authenticated request proved who they are. */
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
  /** Whom an `Authorization: Bearer …` value belongs to. */
  authenticate(token: string): Promise<Caller | Refusal>;
  /** Opens a trial account with its welcome bonus. The key and the code are answered once and kept only as hashes. */
  registerTrial(agentName: string | null): Promise<{ account: Account; apiKey: string; claimCode: string }>;
  /** Opens a formal account without credits (the operator's command). */
  create(account: { name: string; email: string | null }): Promise<Account>;
  addKey(accountId: string, name: string): Promise<{ id: string; apiKey: string }>;
  /** Revoked at once, everywhere. Answers whether there was such a key. */
  revokeKey(keyId: string): Promise<boolean>;
  /** How a key may be shown: name and masked value. */
  describeKey(keyId: string): Promise<{ id: string; name: string; masked_value: string } | null>;
}

/** What the claim of a trial account needs; see accounts/claim.ts. */
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
  /** Signature, algorithm, audience and time are checked; the payload is answered only for a token of ours. */
  verify(token: string): Promise<{
    valid: boolean;
    expired: boolean;
    payload: Record<string, unknown> | null;
    reason: string | null;
  }>;
}

/** Figures of what the server does, for its operator. */
export interface Metrics {
  /** One answered request; `operation` is null for what is no operation of the contract. */
  request(operation: string | null, status: number, seconds: number): void;
  /** An answer that broke the contract. */
  brokenAnswer(operation: string): void;
  /** All figures, as Prometheus reads them. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Everything a server is made of. A test, a mutant or a variation replaces one. */
export interface Parts {
  clock: Clock;
  random: Random;
  log: Logger;
  /** Read connections; all writes go through books, accounts and claims. */
  database: Knex;
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
  /** Without them nothing is counted and /metrics is not there. */
  metrics?: Metrics;
}
