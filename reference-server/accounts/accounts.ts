import type { Knex } from "knex";
import { trialCredits, trialDays } from "../../generated/contract.ts";
import { micro } from "../billing/money.ts";
import type { Account, Accounts, Caller, Clock, Credential, Random, Refusal, Tokens } from "../parts.ts";
import { uuid } from "../ids.ts";
import type { AccountRow, ApiKeyRow } from "../records.ts";
import { gathered, padded } from "../storage/gathered.ts";
import { marks, readRows } from "../storage/reader.ts";
import type { Transaction, Writer } from "../storage/writer.ts";
import { masked, newApiKey, newClaimCode, secretHash } from "./keys.ts";

const dayMs = 86_400_000;

const trialLifetimeMs = trialDays * dayMs;

/** How long after the end of its trial an account can still be claimed (open point). */
export const claimGraceMs = 30 * dayMs;

interface AccountParts {
  database: Knex;
  writer: Writer;
  tokens: Tokens;
  clock: Clock;
  random: Random;
}

/**
 * Accounts and their keys. Nothing is cached: the next request refuses a revoked key or an ended trial, even if another
 * process revoked the key.
 */
export function createAccounts(parts: AccountParts): Accounts {
  const { database, writer, clock, random } = parts;
  const keyOwners = gathered((hashes) => readKeyOwners(database, hashes));
  return {
    async authenticate(token) {
      if (isJwt(token)) return byToken(parts, token);
      const hash = secretHash(token);
      return byKey((await keyOwners([hash])).get(hash), clock.now());
    },

    registerTrial: (agentName) => writer.run((tx) => openTrial(tx, random, agentName)),

    create: ({ name, email }) =>
      writer.run(async (tx) => {
        const address = email?.trim().toLowerCase() ?? null;
        if (address !== null) {
          const taken = await tx.all("SELECT 1 FROM accounts WHERE email = ? AND type = 'formal'", [address]);
          if (taken.length > 0)
            throw new Error(`there is a formal account with the e-mail ${address} already`);
        }
        const formal = { type: "formal", name, email: address, trial_expires_at: null } as const;
        return insertAccount(tx, random, formal);
      }),

    addKey: (accountId, name) =>
      writer.run(async (tx) => {
        const [account] = await tx.all("SELECT 1 FROM accounts WHERE id = ?", [accountId]);
        if (account === undefined) throw new Error(`there is no account ${accountId}`);
        return insertKey(tx, random, accountId, name);
      }),

    revokeKey: (keyId) =>
      writer.run(async (tx) => {
        const rows = await tx.all(
          "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING id",
          [tx.now, keyId],
        );
        return rows.length > 0;
      }),

    async describeKey(keyId) {
      const sql = "SELECT id, name, masked_value FROM api_keys WHERE id = ?";
      const [key] = await readRows<Pick<ApiKeyRow, "id" | "name" | "masked_value">>(database, sql, [keyId]);
      return key ?? null;
    },
  };
}

/** An account with a key of its own. */
type KeyOwner = AccountRow & Pick<ApiKeyRow, "key_hash" | "revoked_at"> & { key_id: string };

const readKeyOwners = async (database: Knex, hashes: readonly string[]): Promise<Map<string, KeyOwner>> => {
  const bindings = padded(hashes);
  const rows = await readRows<KeyOwner>(
    database,
    `SELECT a.*, k.id AS key_id, k.key_hash, k.revoked_at FROM api_keys k JOIN accounts a ON a.id = k.account_id
      WHERE k.key_hash IN (${marks(bindings.length)})`,
    bindings,
  );
  return new Map(rows.map((row) => [row.key_hash, row]));
};

function byKey(row: KeyOwner | undefined, now: number): Caller | Refusal {
  if (row === undefined) return { refused: "The API key is not known here." };
  if (row.revoked_at !== null) return { refused: "The API key was revoked." };
  const credential = {
    type: "api_key",
    apiKeyId: row.key_id,
    oauthClientId: null,
    delegation: null,
  } as const;
  return admitted(row, credential, now);
}

async function byToken({ database, tokens, clock }: AccountParts, token: string): Promise<Caller | Refusal> {
  const { valid, payload, reason } = await tokens.verify(token);
  if (!valid || payload === null) return { refused: reason ?? "The token is not valid." };
  const accountId = payload["sub"];
  const [account] =
    typeof accountId === "string"
      ? await readRows<AccountRow>(database, "SELECT * FROM accounts WHERE id = ?", [accountId])
      : [];
  if (account === undefined) return { refused: "The token belongs to no account of this server." };
  const credential = credentialOf(payload);
  if (credential === null) return { refused: "The token's constraints are not complete." };
  return admitted(account, credential, clock.now());
}

function admitted(row: AccountRow, credential: Credential, now: number): Caller | Refusal {
  if (row.closed_at !== null) return { refused: "The account is closed." };
  const account = accountOf(row);
  if (account.trialExpiresAt !== null && now >= account.trialExpiresAt) {
    return {
      refused:
        "The trial has ended. Claim the account with its claim code (POST /agent/claim, then /agent/claim-verify); " +
        "the same key works again afterwards.",
    };
  }
  return { account, credential };
}

async function insertAccount(
  tx: Transaction,
  random: Random,
  account: Pick<AccountRow, "type" | "name" | "email" | "trial_expires_at">,
): Promise<Account> {
  const id = uuid(tx.now, random);
  const [row] = await tx.all<AccountRow>(
    `INSERT INTO accounts (id, type, name, email, trial_expires_at, welcome_remaining, welcome_total,
        invite_remaining, invite_total, purchased_remaining, purchased_total, held, created_at)
      VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?) RETURNING *`,
    [id, account.type, account.name, account.email, account.trial_expires_at, tx.now],
  );
  return accountOf(row!);
}

async function insertKey(
  tx: Transaction,
  random: Random,
  accountId: string,
  name: string,
): Promise<{ id: string; apiKey: string }> {
  const id = uuid(tx.now, random);
  const apiKey = newApiKey(random);
  await tx.all(
    `INSERT INTO api_keys (id, account_id, name, key_hash, masked_value, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    [id, accountId, name, secretHash(apiKey), masked(apiKey), tx.now],
  );
  return { id, apiKey };
}

async function openTrial(tx: Transaction, random: Random, agentName: string | null) {
  const expiresAt = tx.now + trialLifetimeMs;
  const trial = { type: "trial", name: agentName, email: null, trial_expires_at: expiresAt } as const;
  const account = await insertAccount(tx, random, trial);
  const { apiKey } = await insertKey(tx, random, account.id, "trial");
  const claimCode = newClaimCode(random);
  await tx.all(
    `INSERT INTO claims (account_id, claim_code_hash, state, wrong_tries, mails_sent, expires_at, created_at)
      VALUES (?, ?, 'open', 0, 0, ?, ?)`,
    [account.id, secretHash(claimCode), expiresAt + claimGraceMs, tx.now],
  );
  tx.book({
    accounts: [account.id],
    executions: [],
    apply: (book) =>
      book.move({
        accountId: account.id,
        entryType: "grant_welcome_bonus",
        amount: micro(trialCredits),
        description: "Trial credits",
        sourceSystem: "trial",
      }),
  });
  return { account, apiKey, claimCode };
}

/** Converts a row of `accounts` to the account type of the rest of the server. */
export const accountOf = (row: AccountRow): Account => ({
  id: row.id,
  type: row.type,
  name: row.name,
  email: row.email,
  createdAt: row.created_at,
  trialExpiresAt: row.type === "trial" ? row.trial_expires_at : null,
});

/** A JWT has three parts separated by dots; an API key has no dots. */
const isJwt = (token: string): boolean => token.split(".").length === 3;

/** The credential described by a verified payload of our own (accounts/tokens.ts signs these claims). */
/** The credential of a token; null if a constraint is missing or of another type, so that none is overlooked. */
function credentialOf(payload: Record<string, unknown>): Credential | null {
  const { run_id: runId, provider_id: providerId, max_credits: maxCredits = null } = payload;
  const { oauth_client_id: oauthClientId = null } = payload;
  if (oauthClientId !== null && typeof oauthClientId !== "string") return null;
  if (runId === undefined && providerId === undefined && maxCredits === null) {
    return {
      type: oauthClientId === null ? "jwt" : "oauth",
      apiKeyId: null,
      oauthClientId,
      delegation: null,
    };
  }
  if (typeof runId !== "string" || typeof providerId !== "string") return null;
  if (maxCredits !== null && !(typeof maxCredits === "number" && maxCredits >= 0)) return null;
  return { type: "delegation", apiKeyId: null, oauthClientId, delegation: { runId, providerId, maxCredits } };
}
