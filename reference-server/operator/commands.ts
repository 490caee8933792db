import type { EntryType } from "../../generated/contract.ts";
import { createTokens } from "../accounts/tokens.ts";
import { credits, micro, type Micro } from "../billing/money.ts";
import { inCredits } from "../billing/price.ts";
import { priced } from "../billing/statement.ts";
import type { BillingRule } from "../billing/rule.ts";
import { newExecutionId } from "../ids.ts";
import { usageEvent } from "../operations/usage-event.ts";
import type { Bill, Settlement } from "../parts.ts";
import type { DataFolder } from "../parts-default.ts";
import type { AccountRow, ApiKeyRow } from "../records.ts";

/** A command that was written wrongly; the message says what would be right. */
export class UsageError extends Error {}

/** The flags of one command, as they were given. */
export type Flags = Readonly<Record<string, string | undefined>>;

/** What a command answers: printed as lines, or as JSON with `--json`. */
export type Result = Record<string, unknown> | Record<string, unknown>[];

export interface Command {
  /** The words that name it. */
  words: string;
  /** Flags it must and may have. */
  needs: readonly string[];
  may: readonly string[];
  help: string;
  run(flags: Flags, folder: DataFolder): Promise<Result>;
}

const needed = (flags: Flags, name: string): string => {
  const value = flags[name];
  if (value === undefined || value === "") throw new UsageError(`--${name} is needed.`);
  return value;
};

/** Credits with at most six decimals, not negative. */
function amount(flags: Flags, name = "credits"): Micro {
  const text = needed(flags, name);
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) {
    throw new UsageError(
      `--${name} must be credits such as 12.5, with at most six decimals, not ${JSON.stringify(text)}.`,
    );
  }
  return micro(Number(text));
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A span of time such as `90s`, `15m`, `1h`, `8d`, in ms. */
function span(text: string, name: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--${name} must be a time such as 90s, 15m, 1h or 8d, not ${JSON.stringify(text)}.`);
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}

async function accountRow({ storage }: DataFolder, flags: Flags): Promise<AccountRow> {
  const id = needed(flags, "account");
  const row = await storage.database<AccountRow>("accounts").where({ id }).first();
  if (row === undefined) throw new UsageError(`There is no account ${id}. See: account list.`);
  return row;
}

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

async function setClosed(flags: Flags, folder: DataFolder, closed: boolean): Promise<Result> {
  const { id } = await accountRow(folder, flags);
  const [row] = await folder.storage.writer.run((tx) =>
    tx.all<AccountRow>("UPDATE accounts SET closed_at = ? WHERE id = ? RETURNING *", [
      closed ? tx.now : null,
      id,
    ]),
  );
  return { account_id: id, closed_at: time(row!.closed_at) };
}

const grants: Readonly<Record<string, EntryType>> = {
  recharge: "grant_payment_recharge",
  welcome: "grant_welcome_bonus",
  invitation: "grant_invitation_reward",
};

async function move(
  folder: DataFolder,
  accountId: string,
  entryType: EntryType,
  moved: Micro,
  description: string,
): Promise<Result> {
  const entryId = await folder.books.move({ accountId, entryType, amount: moved, description });
  const { available } = await folder.books.balance(accountId);
  return { entry_id: entryId, amount_credits: credits(moved), remaining_credits: credits(available) };
}

/** The operator's commands (design: accounts, grants, keys, tokens). */
export const commands: readonly Command[] = [
  {
    words: "account create",
    needs: ["name"],
    may: ["email", "grant"],
    help: "opens a formal account with a first key, and credits where --grant says so",
    async run(flags, folder) {
      const opening = flags.grant === undefined ? 0 : amount(flags, "grant");
      const account = await folder.accounts.create({
        name: needed(flags, "name"),
        email: flags.email ?? null,
      });
      const key = await folder.accounts.addKey(account.id, "first key");
      if (opening > 0) await move(folder, account.id, "grant_payment_recharge", opening, "Opening credits");
      return {
        account_id: account.id,
        key_id: key.id,
        api_key: key.apiKey,
        remaining_credits: credits(opening),
      };
    },
  },
  {
    words: "account list",
    needs: [],
    may: [],
    help: "lists the accounts",
    async run(_flags, { storage }) {
      const rows = await storage.database<AccountRow>("accounts").orderBy("created_at");
      return rows.map((row) => ({
        account_id: row.id,
        type: row.type,
        name: row.name,
        email: row.email,
        remaining_credits: credits(
          row.welcome_remaining + row.invite_remaining + row.purchased_remaining - row.held,
        ),
        trial_expires_at: row.type === "trial" ? time(row.trial_expires_at) : null,
        created_at: time(row.created_at),
        closed_at: time(row.closed_at),
      }));
    },
  },
  {
    words: "account close",
    needs: ["account"],
    may: [],
    help: "closes an account: its credentials are refused, and what is under way is not charged",
    run: (flags, folder) => setClosed(flags, folder, true),
  },
  {
    words: "account reopen",
    needs: ["account"],
    may: [],
    help: "opens a closed account again, with its keys and its credits as they were",
    run: (flags, folder) => setClosed(flags, folder, false),
  },
  {
    words: "key create",
    needs: ["account"],
    may: ["name"],
    help: "adds a key to an account; it is shown this once",
    async run(flags, folder) {
      const { id } = await accountRow(folder, flags);
      const key = await folder.accounts.addKey(id, flags.name ?? "key");
      return { account_id: id, key_id: key.id, api_key: key.apiKey };
    },
  },
  {
    words: "key list",
    needs: ["account"],
    may: [],
    help: "lists the keys of an account, masked",
    async run(flags, folder) {
      const { id } = await accountRow(folder, flags);
      const rows = await folder.storage
        .database<ApiKeyRow>("api_keys")
        .where({ account_id: id })
        .orderBy("created_at");
      return rows.map((row) => ({
        key_id: row.id,
        name: row.name,
        masked_value: row.masked_value,
        created_at: time(row.created_at),
        revoked_at: time(row.revoked_at),
      }));
    },
  },
  {
    words: "key revoke",
    needs: ["key"],
    may: [],
    help: "revokes a key by its id, at once and everywhere",
    async run(flags, { accounts }) {
      const keyId = needed(flags, "key");
      if (!(await accounts.revokeKey(keyId)))
        throw new UsageError(`There is no key ${keyId}. See: key list.`);
      return { key_id: keyId, revoked: true };
    },
  },
  ...Object.entries(grants).map(([kind, entryType]) => ({
    words: `grant ${kind}`,
    needs: ["account", "credits"],
    may: ["description"],
    help: `grants credits as ${entryType}`,
    async run(flags: Flags, folder: DataFolder) {
      const { id } = await accountRow(folder, flags);
      return move(folder, id, entryType, amount(flags), flags.description ?? `Grant: ${kind}`);
    },
  })),
  {
    words: "refund",
    needs: ["account", "credits"],
    may: ["description"],
    help: "takes back credits of a recharge (consume_payment_refund)",
    async run(flags, folder) {
      const { id } = await accountRow(folder, flags);
      const description = flags.description ?? "Refund of a recharge";
      return move(folder, id, "consume_payment_refund", -amount(flags), description);
    },
  },
  {
    words: "jwt",
    needs: ["account"],
    may: ["lifetime", "age", "oauth-client"],
    help: "mints a JWT of an account, for --lifetime 1h unless told, as if it were --age old",
    async run(flags, folder) {
      const { id } = await accountRow(folder, flags);
      const mintedAt = folder.clock.now() - span(flags.age ?? "0s", "age");
      const clock = { now: () => mintedAt };
      const tokens = await createTokens(folder.path, { clock, random: folder.random });
      const token = await tokens.sign({
        accountId: id,
        lifetimeMs: span(flags.lifetime ?? "1h", "lifetime"),
        ...(flags["oauth-client"] !== undefined && { oauthClientId: flags["oauth-client"] }),
      });
      return { account_id: id, token };
    },
  },
  {
    words: "delegation",
    needs: ["account", "run-id", "provider-id"],
    may: ["max-credits", "lifetime"],
    help: "mints a constrained delegation token; --lifetime 1h by default",
    async run(flags, folder) {
      const { id } = await accountRow(folder, flags);
      const delegation = {
        runId: needed(flags, "run-id"),
        providerId: needed(flags, "provider-id"),
        maxCredits: flags["max-credits"] === undefined ? null : credits(amount(flags, "max-credits")),
      };
      const lifetimeMs = span(flags.lifetime ?? "1h", "lifetime");
      const token = await folder.tokens.sign({ accountId: id, lifetimeMs, delegation });
      return { account_id: id, run_id: delegation.runId, provider_id: delegation.providerId, token };
    },
  },
  {
    words: "model-call",
    needs: ["account", "model", "credits"],
    may: ["session"],
    help: "records the use of a model, with its price in credits (0: included)",
    run: recordModelCall,
  },
  {
    words: "trial create",
    needs: [],
    may: ["name", "age"],
    help: "opens a trial as if it had been registered a while ago: --age 8d is past its end",
    async run(flags, folder) {
      const age = span(flags.age ?? "0s", "age");
      const { account, apiKey, claimCode } = await folder.accounts.registerTrial(flags.name ?? null);
      const [row] = await folder.storage.writer.run(async (tx) => {
        await tx.all("UPDATE claims SET expires_at = expires_at - ? WHERE account_id = ?", [age, account.id]);
        return tx.all<AccountRow>(
          "UPDATE accounts SET trial_expires_at = trial_expires_at - ? WHERE id = ? RETURNING *",
          [age, account.id],
        );
      });
      return {
        account_id: account.id,
        api_key: apiKey,
        claim_code: claimCode,
        trial_expires_at: time(row?.trial_expires_at ?? null),
      };
    },
  },
];

/** The contract has no endpoint for model usage, only its events and entries; this is where they come from. */
async function recordModelCall(flags: Flags, folder: DataFolder): Promise<Result> {
  const row = await accountRow(folder, flags);
  if (row.type === "trial") throw new UsageError("A trial may not use the model gateway.");
  const price = amount(flags);
  const model = needed(flags, "model");
  const rule: BillingRule = { unit: "request", amount_credits: credits(price) };
  const bill: Bill = {
    summary: `${inCredits(price)}: 1 request to ${model}`,
    unit: rule.unit,
    unitPrice: price,
    quantity: 1,
    listAmount: price,
  };
  const settlement: Settlement = {
    billableSuccess: true,
    amount: price,
    chargeOutcome: price > 0 ? "charged" : "included",
    reason: "result.valid",
  };
  const executionId = newExecutionId(folder);
  const caller = {
    account: {
      id: row.id,
      type: row.type,
      name: row.name,
      email: row.email,
      createdAt: row.created_at,
      trialExpiresAt: null,
    },
    credential: { type: "api_key" as const, apiKeyId: null, oauthClientId: null, delegation: null },
  };
  const recorded = await folder.books.record({
    ...usageEvent(
      {
        caller,
        eventType: "model_call",
        displayTarget: model,
        durationMs: 0,
        sessionId: flags.session ?? null,
        executionId,
        model,
        success: true,
        request: { model },
        response: { success: true },
      },
      priced(rule, bill, settlement),
    ),
    source_system: "operator",
  });
  if (recorded === "insufficient") {
    throw new UsageError(`The account has less than the ${inCredits(price)} that this call costs.`);
  }
  return {
    event_id: recorded.event.id,
    execution_id: executionId,
    charge_outcome: settlement.chargeOutcome,
    remaining_credits: credits(recorded.remaining),
  };
}
