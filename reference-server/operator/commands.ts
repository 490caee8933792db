import type { EntryType } from "../../generated/contract.ts";
import { accountOf } from "../accounts/accounts.ts";
import { createTokens } from "../accounts/tokens.ts";
import { WrongUse } from "../../base/exit.ts";
import { credits, type Micro } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { fixedPrice } from "../billing/statement.ts";
import { newExecutionId } from "../ids.ts";
import { usageEvent } from "../operations/usage-event.ts";
import type { DataFolder } from "../parts-default.ts";
import type { AccountRow, ApiKeyRow } from "../records.ts";

const hourMs = 3_600_000;

/** An account by its id. */
interface OfAccount {
  account: string;
}

async function accountRow({ storage }: DataFolder, id: string): Promise<AccountRow> {
  const row = await storage.database<AccountRow>("accounts").where({ id }).first();
  if (row === undefined) throw new WrongUse(`There is no account ${id}. See: account list.`);
  return row;
}

/** Foreign text made safe for a terminal: without control characters and direction overrides. */
const shown = (text: string | null): string | null =>
  text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�") ?? null;

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

async function setClosed({ account }: OfAccount, folder: DataFolder, closed: boolean) {
  const { id } = await accountRow(folder, account);
  const [row] = await folder.storage.writer.run((tx) =>
    tx.all<AccountRow>("UPDATE accounts SET closed_at = ? WHERE id = ? RETURNING *", [
      closed ? tx.now : null,
      id,
    ]),
  );
  return { account_id: id, closed_at: time(row!.closed_at) };
}

async function move(
  folder: DataFolder,
  accountId: string,
  entryType: EntryType,
  moved: Micro,
  description: string,
) {
  const entryId = await folder.books.move({ accountId, entryType, amount: moved, description });
  const { available } = await folder.books.balance(accountId);
  return { entry_id: entryId, amount_credits: credits(moved), remaining_credits: credits(available) };
}

/** Opens a formal account with a first key, and credits if there is a grant. */
export async function createAccount(
  { name, email = null, grant = 0 }: { name: string; email?: string | null | undefined; grant?: Micro },
  folder: DataFolder,
) {
  const { id } = await folder.accounts.create({ name, email });
  const key = await folder.accounts.addKey(id, "first key");
  if (grant > 0) await move(folder, id, "grant_payment_recharge", grant, "Opening credits");
  return { account_id: id, key_id: key.id, api_key: key.apiKey, remaining_credits: credits(grant) };
}

export async function listAccounts(_given: object, { storage }: DataFolder) {
  const rows = await storage.database<AccountRow>("accounts").orderBy("created_at");
  return rows.map((row) => ({
    account_id: row.id,
    type: row.type,
    name: shown(row.name),
    email: row.email,
    remaining_credits: credits(
      row.welcome_remaining + row.invite_remaining + row.purchased_remaining - row.held,
    ),
    trial_expires_at: row.type === "trial" ? time(row.trial_expires_at) : null,
    created_at: time(row.created_at),
    closed_at: time(row.closed_at),
  }));
}

/** Closes an account: its credentials are refused, and calls under way are not charged. */
export const closeAccount = (given: OfAccount, folder: DataFolder) => setClosed(given, folder, true);

/** Opens a closed account again, with its keys and credits unchanged. */
export const reopenAccount = (given: OfAccount, folder: DataFolder) => setClosed(given, folder, false);

/** Adds a key to an account. */
export async function createKey(
  { account, name = "key" }: OfAccount & { name?: string },
  folder: DataFolder,
) {
  const { id } = await accountRow(folder, account);
  const key = await folder.accounts.addKey(id, name);
  return { account_id: id, key_id: key.id, api_key: key.apiKey };
}

/** The keys of an account, masked. */
export async function listKeys({ account }: OfAccount, folder: DataFolder) {
  const { id } = await accountRow(folder, account);
  const rows = await folder.storage
    .database<ApiKeyRow>("api_keys")
    .where({ account_id: id })
    .orderBy("created_at");
  return rows.map((row) => ({
    key_id: row.id,
    name: shown(row.name),
    masked_value: row.masked_value,
    created_at: time(row.created_at),
    revoked_at: time(row.revoked_at),
  }));
}

/** Revokes a key by its id, immediately and for all servers. */
export async function revokeKey({ key }: { key: string }, { accounts }: DataFolder) {
  if (!(await accounts.revokeKey(key))) throw new WrongUse(`There is no key ${key}. See: key list.`);
  return { key_id: key, revoked: true };
}

/** Changes an account's credits: a grant, or a refund with a negative amount. */
export async function moveCredits(
  { account, amount, description }: OfAccount & { amount: Micro; description: string },
  entryType: EntryType,
  folder: DataFolder,
) {
  const { id } = await accountRow(folder, account);
  return move(folder, id, entryType, amount, description);
}

/** Mints a JWT of an account, dated `ageMs` ago. */
export async function mintJwt(
  {
    account,
    lifetimeMs = hourMs,
    ageMs = 0,
    oauthClientId,
  }: OfAccount & { lifetimeMs?: number; ageMs?: number; oauthClientId?: string | undefined },
  folder: DataFolder,
) {
  const { id } = await accountRow(folder, account);
  const mintedAt = folder.clock.now() - ageMs;
  const clock = { now: () => mintedAt };
  const tokens = await createTokens(folder.path, { clock, random: folder.random });
  const token = await tokens.sign({
    accountId: id,
    lifetimeMs,
    ...(oauthClientId !== undefined && { oauthClientId }),
  });
  return { account_id: id, token };
}

/** Mints a constrained delegation token. */
export async function mintDelegation(
  {
    account,
    runId,
    providerId,
    maxCredits,
    lifetimeMs = hourMs,
  }: OfAccount & {
    runId: string;
    providerId: string;
    maxCredits?: Micro | undefined;
    lifetimeMs?: number;
  },
  folder: DataFolder,
) {
  const { id } = await accountRow(folder, account);
  const delegation = { runId, providerId, maxCredits: maxCredits === undefined ? null : credits(maxCredits) };
  const token = await folder.tokens.sign({ accountId: id, lifetimeMs, delegation });
  return { account_id: id, run_id: runId, provider_id: providerId, token };
}

/** Opens a trial, dated `ageMs` ago: at eight days its key has expired. */
export async function createTrial(
  { name = null, ageMs = 0 }: { name?: string | null | undefined; ageMs?: number },
  folder: DataFolder,
) {
  const { account, apiKey, claimCode } = await folder.accounts.registerTrial(name);
  const [row] = await folder.storage.writer.run(async (tx) => {
    await tx.all("UPDATE claims SET expires_at = expires_at - ? WHERE account_id = ?", [ageMs, account.id]);
    return tx.all<AccountRow>(
      "UPDATE accounts SET trial_expires_at = trial_expires_at - ? WHERE id = ? RETURNING *",
      [ageMs, account.id],
    );
  });
  return {
    account_id: account.id,
    api_key: apiKey,
    claim_code: claimCode,
    trial_expires_at: time(row?.trial_expires_at ?? null),
  };
}

/** Records model usage. The contract has no endpoint for it, only its events and entries. */
export async function recordModelCall(
  {
    account,
    model,
    price,
    session,
  }: OfAccount & { model: string; price: Micro; session?: string | undefined },
  folder: DataFolder,
) {
  const row = await accountRow(folder, account);
  if (row.type === "trial") throw new WrongUse("A trial may not use the model gateway.");
  const money = fixedPrice(price, `1 request to ${model}`);
  const executionId = newExecutionId(folder);
  const caller = {
    account: accountOf(row),
    credential: { type: "api_key" as const, apiKeyId: null, oauthClientId: null, delegation: null },
  };
  const recorded = await folder.books.record({
    ...usageEvent(
      {
        caller,
        eventType: "model_call",
        displayTarget: model,
        durationMs: 0,
        sessionId: session ?? null,
        executionId,
        model,
        success: true,
        request: { model },
        response: { success: true },
      },
      money,
    ),
    source_system: "operator",
  });
  if (recorded === "insufficient") {
    throw new WrongUse(`The account has less than the ${inCredits(price)} that this call costs.`);
  }
  return {
    event_id: recorded.event.id,
    execution_id: executionId,
    charge_outcome: money.charge_outcome,
    remaining_credits: credits(recorded.remaining),
  };
}
