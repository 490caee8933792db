import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultConfig } from "../config.ts";
import { openDataFolder, type DataFolder } from "../parts-default.ts";
import { commands, UsageError, type Flags } from "./commands.ts";

let path: string;
let folder: DataFolder;

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "operator-"));
  folder = await openDataFolder({ ...defaultConfig, dataFolder: path }, { log: pino({ level: "silent" }) });
});

afterAll(async () => {
  await folder.storage.close();
  await rm(path, { recursive: true });
});

const run = async (words: string, flags: Flags = {}): Promise<Record<string, unknown>> =>
  (await commands.find((command) => command.words === words)!.run(flags, folder)) as Record<string, unknown>;

const opened = async (grant?: string): Promise<{ account: string; key: string; keyId: string }> => {
  const answer = await run("account create", { name: "x", ...(grant !== undefined && { grant }) });
  return {
    account: answer.account_id as string,
    key: answer.api_key as string,
    keyId: answer.key_id as string,
  };
};

it("opens an account whose key works until it is revoked, while another key goes on", async () => {
  const { account, key, keyId } = await opened();
  const second = await run("key create", { account, name: "second" });
  expect(await folder.accounts.authenticate(key)).toMatchObject({ account: { id: account, type: "formal" } });
  await run("key revoke", { key: keyId });
  expect(await folder.accounts.authenticate(key)).toHaveProperty("refused");
  expect(await folder.accounts.authenticate(second.api_key as string)).toMatchObject({
    account: { id: account },
  });
  const keys = (await run("key list", { account })) as unknown as Record<string, unknown>[];
  expect(keys.map(({ name }) => name)).toEqual(["first key", "second"]);
  expect(JSON.stringify(keys)).not.toContain(key);
});

it("grants each type, takes back a recharge, and books a model call", async () => {
  const { account } = await opened("10");
  await run("grant welcome", { account, credits: "0.5" });
  await run("grant invitation", { account, credits: "1" });
  expect(await run("refund", { account, credits: "4" })).toMatchObject({
    amount_credits: -4,
    remaining_credits: 7.5,
  });
  const called = await run("model-call", { account, model: "m-1", credits: "0.25" });
  expect(called).toMatchObject({ charge_outcome: "charged", remaining_credits: 7.25 });
  const entries = await folder.storage
    .database("ledger_entries")
    .where({ account_id: account })
    .orderBy("seq");
  expect(entries.map(({ entry_type }: { entry_type: string }) => entry_type)).toEqual([
    "grant_payment_recharge",
    "grant_welcome_bonus",
    "grant_invitation_reward",
    "consume_payment_refund",
    "consume_model_call",
  ]);
});

it("mints tokens that are valid, expired or constrained", async () => {
  const { account } = await opened();
  const { token } = await run("jwt", { account });
  expect(await folder.tokens.verify(token as string)).toMatchObject({ valid: true });
  const old = await run("jwt", { account, lifetime: "1h", age: "2h" });
  expect(await folder.tokens.verify(old.token as string)).toMatchObject({ valid: false, expired: true });
  const delegation = await run("delegation", {
    account,
    "run-id": "r",
    "provider-id": "p",
    "max-credits": "1.5",
  });
  expect(await folder.accounts.authenticate(delegation.token as string)).toMatchObject({
    credential: { type: "delegation", delegation: { runId: "r", providerId: "p", maxCredits: 1.5 } },
  });
});

it("opens a trial that has ended already, and refuses it the model gateway", async () => {
  const trial = await run("trial create", { name: "old", age: "8d" });
  expect(await folder.accounts.authenticate(trial.api_key as string)).toMatchObject({
    refused: expect.stringContaining("claim") as string,
  });
  const account = trial.account_id as string;
  await expect(run("model-call", { account, model: "m", credits: "1" })).rejects.toThrow("model gateway");
});

it.each([
  ["grant recharge", { account: "nobody", credits: "1" }, "There is no account nobody"],
  ["key revoke", { key: "nobody" }, "There is no key nobody"],
  ["trial create", { age: "soon" }, "--age must be a time such as"],
  ["account create", { name: "x", grant: "1e3" }, "--grant must be credits such as"],
  ["account create", { name: "" }, "--name is needed"],
])("refuses %s %o with a sentence", async (words, flags, message) => {
  await expect(run(words, flags as Flags)).rejects.toThrow(UsageError);
  await expect(run(words, flags as Flags)).rejects.toThrow(message);
});
