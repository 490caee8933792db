import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EntryType } from "../generated/contract.ts";
import { contradictions, readAccount } from "./account-reading.fixture.ts";
import { micro, type Micro } from "./billing/money.ts";
import { sampleTools } from "./catalog/sample-roles.ts";
import { defaultConfig, type Config } from "./config.ts";
import { baseUrl, createLog, defaultParts, type DefaultParts } from "./parts-default.ts";
import { createServer, type Server } from "./server.ts";
import { heldClock, temporaryDatabase } from "./storage/temporary.fixture.ts";
import { unlimitedQuotas } from "./unlimited.fixture.ts";

const clock = heldClock();
let folder: string;
let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let defaults: DefaultParts;
let server: Server;
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "walk-"));
  database = await temporaryDatabase();
  const config: Config = {
    ...defaultConfig,
    dataFolder: folder,
    databaseUrl: database.url,
    quotas: unlimitedQuotas,
  };
  defaults = await defaultParts(config, { clock, log: createLog("silent") });
  server = createServer(config, defaults.parts);
  base = baseUrl(config.host, await server.start(0));
});

afterAll(async () => {
  await server.stop();
  await defaults.close();
  await database.remove();
  await rm(folder, { recursive: true });
});

/** The price of a call of each tool in credits: the oracle, written by hand from the sample catalogue. */
const callable = {
  charged: { outcome: "charged", reason: "result.valid", success: true, held: 1, listed: 1, settled: 1 },
  charged_decimal: {
    outcome: "charged",
    reason: "result.valid",
    success: true,
    held: 0.025,
    listed: 0.025,
    settled: 0.025,
  },
  included: { outcome: "included", reason: "result.valid", success: true, held: 0, listed: 0, settled: 0 },
  discounted: {
    outcome: "charged",
    reason: "result.valid",
    success: true,
    held: 0.8,
    listed: 0.8,
    settled: 0.6,
  },
  policy_exempt: {
    outcome: "included",
    reason: "result.valid",
    success: true,
    held: 0,
    listed: 0.4,
    settled: 0,
  },
  partial_success: {
    outcome: "failed_not_charged",
    reason: "result.partial_success",
    success: true,
    held: 1,
    listed: 1,
    settled: 0,
  },
  expensive: { outcome: "charged", reason: "result.valid", success: true, held: 75, listed: 75, settled: 75 },
  failed_charged: {
    outcome: "failed_charged_review",
    reason: "provider.error",
    success: false,
    held: 3,
    listed: 3,
    settled: 3,
  },
  provider_error: {
    outcome: "failed_not_charged",
    reason: "provider.error",
    success: false,
    held: 2,
    listed: 2,
    settled: 0,
  },
  empty_result: {
    outcome: "failed_not_charged",
    reason: "result.empty",
    success: false,
    held: 1,
    listed: 1,
    settled: 0,
  },
  unavailable: {
    outcome: "failed_not_charged",
    reason: "tool_unavailable",
    success: false,
    held: 0,
    listed: 5,
    settled: 0,
  },
} as const;
type Role = keyof typeof callable;

/** The expected state of the account. Lists are oldest first; amounts are micro-credits. */
interface Model {
  /** The remainder of each category, in spending order. */
  left: { invite: Micro; welcome: Micro; purchased: Micro };
  events: {
    event_type: string;
    charge_outcome: string;
    reason_code: string;
    success: boolean;
    listed: Micro;
    settled: Micro;
  }[];
  entries: { entry_type: string; amount: Micro; after: Micro }[];
}

interface Real {
  accountId: string;
  key: string;
}

const owned = ({ left }: Model): Micro => left.invite + left.welcome + left.purchased;

function move(model: Model, entry_type: string, amount: Micro): void {
  model.entries.push({ entry_type, amount, after: owned(model) });
}

function spend(model: Model, amount: Micro): void {
  let open = amount;
  for (const category of ["invite", "welcome", "purchased"] as const) {
    const part = Math.min(open, model.left[category]);
    model.left[category] -= part;
    open -= part;
  }
  move(model, "consume_tool_execute", -amount);
}

async function ask(
  real: Real,
  path: string,
  body: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(base + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${real.key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Compares the whole account, as read through the API, with the model. */
async function compare(model: Model, real: Real): Promise<void> {
  const reading = await readAccount(base, real.key);
  expect(contradictions(reading)).toEqual([]);
  expect(micro(reading.remaining)).toBe(owned(model));
  const events = reading.events.toReversed().map((event) => ({
    event_type: event.event_type,
    charge_outcome: event.charge_outcome,
    reason_code: event.reason_code,
    success: event.success,
    listed: micro(event.pre_settlement_amount_credits ?? 0),
    settled: micro(event.actual_amount_credits ?? 0),
  }));
  expect(events).toEqual(model.events);
  const entries = reading.entries.toReversed().map((entry) => ({
    entry_type: entry.entry_type,
    amount: micro(entry.amount_credits),
    after: micro(entry.balance_after!.total_available_credits!),
  }));
  expect(entries).toEqual(model.entries);
}

type Step = fc.AsyncCommand<Model, Real, false>;

/** One step: its effect on the model and on the server; the account is compared after each. */
const step = (name: string, run: (model: Model, real: Real) => Promise<void>): Step => ({
  check: () => true,
  toString: () => name,
  async run(model, real) {
    await run(model, real);
    await compare(model, real);
  },
});

const calling = (role: Role): Step =>
  step(`call ${role}`, async (model, real) => {
    const { id, parameters } = sampleTools[role];
    const { held, listed, settled, outcome, reason, success } = callable[role];
    const answered = await ask(real, "/tools/execute", { tool_id: id, parameters });
    if (owned(model) < micro(held)) {
      expect(answered).toMatchObject({ status: 402, body: { success: false, remaining_credits: 0 } });
      return;
    }
    model.events.push({
      event_type: "tool_execute",
      charge_outcome: outcome,
      reason_code: reason,
      success,
      listed: micro(listed),
      settled: micro(settled),
    });
    if (settled > 0) spend(model, micro(settled));
    expect(answered).toMatchObject({ status: 200, body: { success } });
    expect(micro(answered.body.remaining_credits as number)).toBe(owned(model));
  });

const free = {
  charge_outcome: "included",
  reason_code: "result.valid",
  success: true,
  listed: 0,
  settled: 0,
};

const discovering = step("discover", async (model, real) => {
  expect(await ask(real, "/search", { query: "weather" })).toMatchObject({ status: 200 });
  model.events.push({ event_type: "search", ...free });
});

const inspecting = step("inspect", async (model, real) => {
  expect(await ask(real, "/tools/by-ids", { tool_ids: [sampleTools.charged.id] })).toMatchObject({
    status: 200,
  });
  model.events.push({ event_type: "search_by_ids", ...free });
});

const probing = step("probe", async (_model, real) => {
  const { id, parameters } = sampleTools.expensive;
  const body = { parameters, checks: ["schema", "quote"] };
  expect(await ask(real, `/tools/probe?tool_id=${id}`, body)).toMatchObject({ status: 200 });
});

const grants = {
  grant_payment_recharge: "purchased",
  grant_welcome_bonus: "welcome",
  grant_invitation_reward: "invite",
} as const;

const granting = (entryType: keyof typeof grants, amount: Micro): Step =>
  step(`${entryType} of ${amount}`, async (model, { accountId }) => {
    await defaults.parts.books.move({ accountId, entryType, amount, description: "walk" });
    model.left[grants[entryType]] += amount;
    move(model, entryType, amount);
  });

const refunding = (amount: Micro): Step => {
  const entryType: EntryType = "consume_payment_refund";
  return step(`${entryType} of ${amount}`, async (model, { accountId }) => {
    const refund = defaults.parts.books.move({ accountId, entryType, amount: -amount, description: "walk" });
    if (model.left.purchased < amount) {
      await expect(refund).rejects.toThrow("more than");
      return;
    }
    await refund;
    model.left.purchased -= amount;
    move(model, entryType, -amount);
  });
};

const waiting = (ms: number): Step =>
  step(`wait ${ms} ms`, async () => {
    clock.time += ms;
  });

const amounts = fc.integer({ min: 1, max: 4_000_000 });
const steps = fc.commands<Model, Real, false>(
  [
    fc.constantFrom(...(Object.keys(callable) as Role[])).map(calling),
    fc.constantFrom(...(Object.keys(callable) as Role[])).map(calling),
    fc
      .tuple(fc.constantFrom(...(Object.keys(grants) as (keyof typeof grants)[])), amounts)
      .map((grant) => granting(...grant)),
    amounts.map(refunding),
    fc.constantFrom(discovering, inspecting, probing),
    fc.integer({ min: 1, max: 5 * 3_600_000 }).map(waiting),
  ],
  { maxCommands: 12 },
);

it("keeps every account as a model predicts, after each step of a random walk", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (walk) => {
      const setup = async () => {
        const account = await defaults.parts.accounts.create({ name: "walk", email: null });
        const { apiKey } = await defaults.parts.accounts.addKey(account.id, "walk");
        const model: Model = { left: { invite: 0, welcome: 0, purchased: 0 }, events: [], entries: [] };
        return { model, real: { accountId: account.id, key: apiKey } };
      };
      await fc.asyncModelRun(setup, walk);
    }),
    { numRuns: 20, endOnFailure: false },
  );
});
