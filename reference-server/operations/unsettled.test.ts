import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import { createLog, openDataFolder, type DataFolder } from "../parts-default.ts";
import { defaultConfig } from "../config.ts";
import { closeAccount, createAccount, mintJwt, reopenAccount } from "../operator/commands.ts";
import { micro } from "../billing/money.ts";
import type { Books, Execution } from "../parts.ts";
import { Unavailable } from "../storage/connection.ts";
import { worked } from "./worked.fixture.ts";

let server: Attacked;
/** The operator's own process on the same data. */
let operator: DataFolder;
/** An event while the provider is asked, and the provider's answer. */
let execute: () => Promise<Execution>;
/** The fate of the next settlement, if it is not written. */
let failNext: Error | null;
let account: { id: string; key: string };

const failing = (books: Books): Books => ({
  ...books,
  async settle(executionId, event) {
    const failure = failNext;
    failNext = null;
    if (failure !== null) throw failure;
    return books.settle(executionId, event);
  },
});

beforeAll(async () => {
  server = await startAttacked((parts) => ({
    ...parts,
    books: failing(parts.books),
    providers: { execute: () => execute() },
  }));
  operator = await openDataFolder(
    { ...defaultConfig, dataFolder: server.folder },
    { log: createLog("silent") },
  );
});
afterAll(async () => {
  await operator.storage.close();
  await server.stop();
});

beforeEach(async () => {
  const opened = await createAccount({ name: "x", grant: micro(50) }, operator);
  account = { id: opened.account_id, key: opened.api_key };
  execute = () => Promise.resolve(worked);
  failNext = null;
});

const closing = async (): Promise<Execution> => {
  await closeAccount({ account: account.id }, operator);
  return worked;
};
const reopen = () => reopenAccount({ account: account.id }, operator);

const query = () =>
  server.ask("POST", "/capabilities/query", {
    token: account.key,
    body: { capability_id: "market.quote", parameters: { symbol: "ACME" }, max_credits: 10 },
  });
const call = (tool_id: string, parameters: object) =>
  server.ask("POST", "/tools/execute", { token: account.key, body: { tool_id, parameters } });

/** The state of the books after the account was opened again. */
async function books() {
  const read = async (path: string) =>
    (await server.ask("GET", path, { token: account.key })).body["data"] as Record<string, unknown>;
  const { items } = await read("/auth/usage/history/v2?kind=call&include_details=true");
  const ledger = await read("/auth/credits/ledger?direction=consume");
  const { remaining_credits: remaining } = await read("/auth/credits");
  const { held } = await server.parts.books.balance(account.id);
  return { events: items as Record<string, unknown>[], consumed: ledger["total"], remaining, held };
}

describe("an account that is closed while a provider is asked", () => {
  it("gets 404 for its capability query: the hold is released, nothing charged, and an event says why", async () => {
    execute = closing;
    const answer = await query();
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ status: "failure", status_code: 404, data: null });
    expect(answer.body["message"]).toMatch(/account was closed/);
    await reopen();
    expect(await books()).toMatchObject({
      events: [
        {
          event_type: "capabilities_query",
          success: false,
          charge_outcome: "failed_not_charged",
          reason_code: "transport.execution_failed",
          actual_amount_credits: 0,
          error_message: expect.stringMatching(/account was closed/) as string,
        },
      ],
      consumed: 0,
      remaining: 50,
      held: 0,
    });
  });

  it.each([
    ["weather.current.v1", { city: "Berlin" }],
    ["company.credit-score.v1", { number: "01234567" }],
  ])("gets a failed body for its Call of %s, without a charge", async (toolId, parameters) => {
    execute = closing;
    const answer = await call(toolId, parameters);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: false, cost: 0 });
    await reopen();
    expect(await books()).toMatchObject({
      events: [{ charge_outcome: "failed_not_charged" }],
      consumed: 0,
      remaining: 50,
      held: 0,
    });
  });

  it("leaves a failure of the provider as it is", async () => {
    execute = async () => ({
      ...(await closing()),
      reason: "transport.timeout",
      success: false,
      statusCode: null,
    });
    expect((await query()).status).toBe(408);
    await reopen();
    expect((await books()).events).toMatchObject([{ reason_code: "transport.timeout" }]);
  });
});

it("releases the hold of a settlement that could not be written, and charges nothing for it", async () => {
  failNext = new Unavailable("the database is gone");
  expect((await call("company.credit-score.v1", { number: "01234567" })).status).toBe(503);
  await vi.waitFor(async () => expect(await books()).toMatchObject({ held: 0 }), { timeout: 30_000 });
  expect(await books()).toMatchObject({
    events: [{ charge_outcome: "failed_not_charged", actual_amount_credits: 0 }],
    consumed: 0,
    remaining: 50,
  });
});

it("refuses every credential of a closed account with 401, and its claim, until it is opened again", async () => {
  const jwt = await mintJwt({ account: account.id }, operator);
  const trial = await server.trial();
  const trialId = (await server.parts.accounts.authenticate(trial.key)) as { account: { id: string } };
  for (const id of [account.id, trialId.account.id]) await closeAccount({ account: id }, operator);
  for (const token of [account.key, jwt.token, trial.key]) {
    const { status, body } = await server.ask("GET", "/auth/credits", { token });
    expect([status, body["message"]]).toEqual([401, "The account is closed."]);
  }
  const claim = { claim_code: trial.claimCode, email: "someone@example.com" };
  expect(await server.ask("POST", "/agent/claim", { body: claim })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "claim_code"] }] },
  });
  await reopen();
  expect((await server.ask("GET", "/auth/credits", { token: account.key })).status).toBe(200);
});
