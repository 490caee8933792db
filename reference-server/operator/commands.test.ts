import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { defaultConfig } from "../config.ts";
import { openDataFolder, type DataFolder } from "../parts-default.ts";
import { micro } from "../billing/money.ts";
import type { EntryType } from "../../generated/contract.ts";
import { WrongUse } from "../../base/exit.ts";
import admin from "./admin.ts";
import {
  createAccount,
  createKey,
  createTrial,
  listAccounts,
  listKeys,
  mintDelegation,
  mintJwt,
  moveCredits,
  recordModelCall,
  revokeKey,
} from "./commands.ts";

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

const opened = async (grant = 0) => {
  const {
    account_id: account,
    api_key: key,
    key_id: keyId,
  } = await createAccount({ name: "x", grant }, folder);
  return { account, key, keyId };
};

it("opens an account whose key works until it is revoked, while another key goes on", async () => {
  const { account, key, keyId } = await opened();
  const second = await createKey({ account, name: "second" }, folder);
  expect(await folder.accounts.authenticate(key)).toMatchObject({ account: { id: account, type: "formal" } });
  await revokeKey({ key: keyId }, folder);
  expect(await folder.accounts.authenticate(key)).toHaveProperty("refused");
  expect(await folder.accounts.authenticate(second.api_key)).toMatchObject({
    account: { id: account },
  });
  const keys = await listKeys({ account }, folder);
  expect(keys.map(({ name }) => name)).toEqual(["first key", "second"]);
  expect(JSON.stringify(keys)).not.toContain(key);
});

it("grants each type, takes back a recharge, and books a model call", async () => {
  const { account } = await opened(micro(10));
  const moves: [EntryType, number, number][] = [
    ["grant_welcome_bonus", 0.5, 10.5],
    ["grant_invitation_reward", 1, 11.5],
    ["consume_payment_refund", -4, 7.5],
  ];
  for (const [entryType, amount, remaining] of moves)
    expect(
      await moveCredits({ account, amount: micro(amount), description: "moved" }, entryType, folder),
    ).toMatchObject({ amount_credits: amount, remaining_credits: remaining });
  const called = await recordModelCall({ account, model: "m-1", price: micro(0.25) }, folder);
  expect(called).toMatchObject({ charge_outcome: "charged", remaining_credits: 7.25 });
  const entries = await folder.storage
    .database("ledger_entries")
    .where({ account_id: account })
    .orderBy("seq");
  expect(entries.map(({ entry_type }: { entry_type: string }) => entry_type)).toEqual([
    "grant_payment_recharge",
    ...moves.map(([entryType]) => entryType),
    "consume_model_call",
  ]);
});

it("mints tokens that are valid, expired or constrained", async () => {
  const { account } = await opened();
  const { token } = await mintJwt({ account }, folder);
  expect(await folder.tokens.verify(token)).toMatchObject({ valid: true });
  const old = await mintJwt({ account, lifetimeMs: 3_600_000, ageMs: 7_200_000 }, folder);
  expect(await folder.tokens.verify(old.token)).toMatchObject({ valid: false, expired: true });
  const delegation = await mintDelegation(
    { account, runId: "r", providerId: "p", maxCredits: micro(1.5) },
    folder,
  );
  expect(await folder.accounts.authenticate(delegation.token)).toMatchObject({
    credential: { type: "delegation", delegation: { runId: "r", providerId: "p", maxCredits: 1.5 } },
  });
});

it("opens a trial that has already ended, and refuses it the model gateway", async () => {
  const trial = await createTrial({ name: "old", ageMs: 8 * 86_400_000 }, folder);
  expect(await folder.accounts.authenticate(trial.api_key)).toMatchObject({
    refused: expect.stringContaining("claim") as string,
  });
  const account = trial.account_id;
  await expect(recordModelCall({ account, model: "m", price: 1 }, folder)).rejects.toThrow("model gateway");
});

it.each([
  [["grant", "recharge", "--account", "nobody", "--credits", "1"], "There is no account nobody"],
  [["key", "revoke", "--key", "nobody"], "There is no key nobody"],
  [["key", "revoke"], "--key <ID>"],
  [["trial", "create", "--age", "soon"], '--age must be a time such as 90s, 15m, 1h or 8d, not "soon".'],
  [["account", "create", "--name", "x", "--grant", "1e3"], "--grant must be credits such as"],
  [["account", "create", "--name", ""], "--name needs a value"],
  [["account", "destroy"], "admin account destroy is unknown"],
])("refuses %j with a sentence", async (words, message) => {
  const refused = admin.run("admin", words.length > 2 ? [...words, "--data", path] : words);
  await expect(refused).rejects.toThrow(WrongUse);
  await expect(refused).rejects.toThrow(message);
});

it("prints the result of a command as lines, and as JSON", async () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  const { account } = await opened(micro(2));
  const listed = ["account", "list", "--data", path];
  expect(await admin.run("admin", [...listed, "--json"])).toBe(0);
  expect(JSON.parse(printed[0]!)).toContainEqual(expect.objectContaining({ account_id: account }));
  expect(await admin.run("admin", listed)).toBe(0);
  expect(printed.slice(1)).toContainEqual(
    expect.stringMatching(`^account_id=${account}  .*remaining_credits=2  `),
  );
});

it("strips terminal commands from the names that others chose", async () => {
  await createTrial({ name: "\u001b[2Jroot\r\n\u202eadmin\u0007" }, folder);
  const names = (await listAccounts({}, folder)).map(({ name }) => name);
  expect(names).toContain("�[2Jroot���admin�");
});
