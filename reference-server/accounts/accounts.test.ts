import { afterEach, expect, test } from "vitest";
import { trialDays } from "../../generated/contract.ts";
import { createBooks } from "../storage/books.ts";
import { micro } from "../billing/money.ts";
import type { Tokens } from "../parts.ts";
import { heldClock, systemRandom, temporaryStorage } from "../storage/temporary.fixture.ts";
import { claimGraceMs, createAccounts } from "./accounts.ts";

const trialLifetimeMs = trialDays * 86_400_000;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of open.splice(0)) await remove();
});

async function setUp(payload: Record<string, unknown> = {}) {
  const clock = heldClock();
  const storage = await temporaryStorage({ clock });
  open.push(storage.remove);
  const tokens: Tokens = {
    sign: () => Promise.reject(new Error("this test signs nothing")),
    verify: (token) =>
      Promise.resolve(
        token === "good.to.ken"
          ? { valid: true, expired: false, payload, reason: null }
          : { valid: false, expired: true, payload: null, reason: "The token has expired." },
      ),
  };
  const accounts = createAccounts({ ...storage, clock, random: systemRandom, tokens });
  return { ...storage, clock, accounts, books: createBooks(storage) };
}

test("a trial opens with its credits in the same commit, and only hashes of its secrets are kept", async () => {
  const { accounts, books, database, clock } = await setUp();
  const { account, apiKey, claimCode } = await accounts.registerTrial("scout");
  expect(apiKey).toMatch(/^cc_live_[0-9A-Za-z]{43}$/);
  expect(account).toMatchObject({
    type: "trial",
    name: "scout",
    trialExpiresAt: clock.time + trialLifetimeMs,
  });
  expect(await books.balance(account.id)).toMatchObject({
    available: micro(50),
    welcomeBonus: { initial: micro(50) },
  });
  expect(await database("ledger_entries")).toMatchObject([
    { entry_type: "grant_welcome_bonus", balance_before: 0 },
  ]);
  expect(await database("claims")).toMatchObject([
    { state: "open", expires_at: clock.time + trialLifetimeMs + claimGraceMs },
  ]);
  const stored = JSON.stringify([await database("api_keys"), await database("claims")]);
  expect(stored).not.toContain(apiKey);
  expect(stored).not.toContain(claimCode);
});

test("a trial's key stops at the end of its seventh day and says how to go on", async () => {
  const { accounts, clock } = await setUp();
  const { account, apiKey } = await accounts.registerTrial(null);
  clock.time += trialLifetimeMs - 1;
  expect(await accounts.authenticate(apiKey)).toMatchObject({ account, credential: { type: "api_key" } });
  clock.time += 1;
  expect(await accounts.authenticate(apiKey)).toEqual({ refused: expect.stringContaining("/agent/claim") });
  // A clock that was wrong for a while has no lasting effect.
  clock.time -= 1;
  expect(await accounts.authenticate(apiKey)).toMatchObject({ account: { type: "trial" } });
});

test("an account has several keys; a revoked one is refused immediately, the others go on", async () => {
  const { accounts } = await setUp();
  const { id } = await accounts.create({ name: "Formal", email: "Someone@Example.com " });
  const [first, second] = [await accounts.addKey(id, "first"), await accounts.addKey(id, "second")];
  expect(await accounts.authenticate(first.apiKey)).toMatchObject({ credential: { apiKeyId: first.id } });
  expect(await accounts.revokeKey(first.id)).toBe(true);
  expect(await accounts.authenticate(first.apiKey)).toEqual({ refused: "The API key was revoked." });
  expect(await accounts.authenticate(second.apiKey)).toMatchObject({
    account: { email: "someone@example.com" },
  });
  expect(await accounts.revokeKey("none")).toBe(false);
  expect(await accounts.describeKey(second.id)).toEqual({
    id: second.id,
    name: "second",
    masked_value: `cc_live_...${second.apiKey.slice(-4)}`,
  });
  expect(await accounts.authenticate("cc_live_unknown")).toEqual({
    refused: "The API key is not known here.",
  });
});

test("an e-mail belongs to one formal account, and a key to an account that exists", async () => {
  const { accounts } = await setUp();
  await accounts.create({ name: "One", email: "one@example.com" });
  await expect(accounts.create({ name: "Two", email: "ONE@example.com" })).rejects.toThrow(
    "one@example.com already",
  );
  await expect(accounts.addKey("nobody", "key")).rejects.toThrow("there is no account nobody");
});

test("a token that this server issued opens its account, with its constraints; any other says why not", async () => {
  const payload: Record<string, unknown> = { run_id: "run-1", provider_id: "acme", max_credits: 3 };
  const { accounts } = await setUp(payload);
  const account = await accounts.create({ name: "Formal", email: null });
  expect(await accounts.authenticate("good.to.ken")).toEqual({
    refused: "The token belongs to no account of this server.",
  });
  payload["sub"] = account.id;
  expect(await accounts.authenticate("good.to.ken")).toEqual({
    account,
    credential: {
      type: "delegation",
      apiKeyId: null,
      oauthClientId: null,
      delegation: { runId: "run-1", providerId: "acme", maxCredits: 3 },
    },
  });
  expect(await accounts.authenticate("old.to.ken")).toEqual({ refused: "The token has expired." });
});
