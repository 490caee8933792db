import { atMostCredits, sumOf } from "../../judge/credits.ts";
import { check, type Stage } from "../../run/check.ts";
import { usable, type Account, type Ask } from "../../server/account.ts";
import type { Use } from "../../server/profile.ts";
import type { Answer } from "../../judge/answer.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { fallOf, netFallOf } from "../balance.ts";
import { amountOf, balanceOf, creditsAt } from "../../judge/rows.ts";
import { mapConcurrently } from "../../server/map-concurrently.ts";
import { idOf } from "../../books/listed.ts";
import { expectAgreement, linkOf, requestedOf, settledOf, tracesOf } from "./traces.ts";

/** Tools whose Calls have an amount before settlement, whatever they settle to. */
const billed = ["charged", "charged_decimal", "discounted", "policy_exempt"] as const;

export const checks = [
  check(
    "BILL-01",
    "a Call of a charged tool lowers the balance",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const fall = await fallOf(account, async () => void (await account.succeed(tool("charged"))));
      expect(fall, "credits consumed").toSatisfy("to be more than 0", (value) => Number(value) > 0);
    },
  ),

  check(
    "BILL-02",
    "a Call of an included tool consumes nothing",
    { needs: ["tool.included"] },
    async ({ account, tool, expect }) => {
      const { entries, fall } = await tracesOf(account, async () => {
        await account.succeed(tool("included"));
      });
      expect(fall, "credits consumed").toBeCredits(0);
      expect(entries, "consuming ledger entries").toBeEmpty();
    },
  ),

  check(
    "BILL-42",
    "a Call under a policy exemption consumes nothing and is included",
    { needs: ["tool.policy_exempt"] },
    async ({ account, tool, expect }) => {
      const { events, entries, fall } = await tracesOf(account, async () => {
        await account.succeed(tool("policy_exempt"));
      });
      expect(fall, "credits consumed").toBeCredits(0);
      expect(entries, "consuming ledger entries").toBeEmpty();
      expect(events[0], "the usage event").toBePresent();
      expect(events[0]!.at("charge_outcome")).toBe("included");
    },
  ),

  check(
    ["BILL-04", "BILL-06"],
    "the balance falls by no more than a Call bills",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const use = tool("charged");
      let call: Answer | undefined;
      const fall = await netFallOf(account, async () => {
        call = await account.succeed(use);
      });
      const listed = creditsAt(call!.at("billing").value, "list_amount_credits");
      const billed = listed ?? (await priceByRule(account, use.id));
      if (billed === undefined) throw new Unverifiable("neither the Call nor its tool says what is billed");
      expect(fall, "credits consumed").toSatisfy(`to be at most ${billed}, as billed`, (value) =>
        atMostCredits(Number(value), billed),
      );
    },
  ),

  ...(["charged", "charged_decimal", "discounted"] as const).flatMap((role) => [
    check(
      "BILL-04",
      `the balance falls by the settled amount of a Call: ${role}`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        let call: Answer | undefined;
        const fall = await fallOf(account, async () => {
          call = await account.succeed(tool(role));
        });
        const settled = settledOf(await account.usageOf(call!));
        expect(settled).toBeCredits(fall);
      },
    ),

    check(
      "BILL-05",
      `the ledger entry of a Call has its settled amount: ${role}`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        const call = await account.succeed(tool(role));
        const settled = settledOf(await account.usageOf(call)).number;
        const [entry] = await account.ledgerOf(call);
        if (entry === undefined && settled === 0) throw new Unverifiable("the Call settled to nothing");
        if (entry === undefined) throw new Blocked("the Call has no ledger entry", call.exchange);
        expect(Math.abs(amountOf(entry)!), "amount of the ledger entry").toBeCredits(settled);
      },
    ),
  ]),

  ...billed.map((role) =>
    check(
      "BILL-07",
      `billing of a Call shows the requested amount of its event: ${role}`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        const call = await account.succeed(tool(role));
        const event = await account.usageOf(call);
        const linked = event.at("credits_ledger_entry_id").present;
        const [entry] = linked ? await account.ledgerOf(call) : [];
        const listed = [
          creditsAt(call.at("billing"), "list_amount_credits"),
          creditsAt(event.at("pre_settlement_bill"), "list_amount_credits"),
          entry && creditsAt(entry.at("pre_settlement_bill"), "list_amount_credits"),
        ].filter((amount) => amount !== undefined);
        if (listed.length === 0) throw new Unverifiable("no list_amount_credits is shown of the Call");
        for (const amount of listed) expect(requestedOf(event)).toBeCredits(amount);
      },
    ),
  ),

  check(
    ["BILL-08", "BILL-05"],
    "seven Calls at a decimal price lower the balance by exactly seven times the price",
    { needs: ["tool.charged_decimal"], credits: 14 },
    async ({ account, tool, expect }) => {
      const calls: Answer[] = [];
      const { events, entries, fall } = await tracesOf(account, async () => {
        for (let count = 0; count < 7; count += 1) calls.push(await account.succeed(tool("charged_decimal")));
      });
      const ids = calls.map((call) => call.at("execution_id").value);
      const ofCalls = events.filter((event) => ids.includes(event.at("execution_id").value));
      if (ofCalls.length < calls.length)
        throw new Blocked("not every Call has a usage event", calls[0]!.exchange);
      const prices = ofCalls.map((event) => settledOf(event).number);
      expect(fall, "credits consumed").toBeCredits(sumOf(prices));
      if (prices.every((price) => price === prices[0])) {
        expect(fall, "credits consumed").toBeCredits(calls.length * prices[0]!);
      }
      const moved = entries.map((entry) => Math.abs(amountOf(entry)!));
      expect(sumOf(moved), "credits moved in the ledger").toBeCredits(sumOf(prices));
    },
  ),

  ...billed.map((role) =>
    check(
      "BILL-09",
      `a Call is billed before settlement at the amount of its billing_rule: ${role}`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        const { id } = tool(role);
        const price = await priceByRule(account, id);
        if (price === undefined) throw new Unverifiable(`${id} shows no billing_rule for each request`);
        const call = await account.succeed(tool(role));
        expect(requestedOf(await account.usageOf(call))).toBeCredits(price);
        if (call.at("cost").present) expect(call.at("cost")).toBeCredits(price);
      },
    ),
  ),

  ...(
    [
      ["charged", "", {}],
      ["charged", " that is answered by its summary", { respond_with: "summary" }],
      ["slow", " that takes long", {}],
      ["large_result", " whose result is truncated", { max_response_size: 1000 }],
    ] as const
  ).map(([role, what, more]) =>
    check(
      "BILL-11",
      `a charged Call${what} leaves one usage event, and the one ledger entry that it links to`,
      { needs: [`tool.${role}`], ...("respond_with" in more && { feature: "projection" }) },
      async ({ account, tool, expect }) => {
        const { events, entries, fall } = await tracesOf(account, async () => {
          await account.succeed(tool(role), more);
        });
        if (what !== "" && fall <= 0) {
          throw new Unverifiable("this tool costs nothing", `tools: {${role}: A_TOOL_THAT_IS_CHARGED}`);
        }
        expect(events, "new usage events of Calls").toHaveLength(1);
        expect(entries, "new consuming ledger entries").toHaveLength(1);
        expect(linkOf(events[0]!)).toBe(idOf(entries[0]!));
      },
    ),
  ),

  check(
    ["BILL-12", "LEDG-10", "LEDG-17"],
    "ten Calls at the same time are each settled once, and the balance falls by their sum",
    { needs: ["tool.charged"], credits: 20 },
    async ({ account, tool, expect }) => {
      let calls: Answer[] = [];
      const use = tool("charged");
      const search_id = usable(await account.discover(use.id)).at("search_id").string;
      const { events, entries, fall } = await tracesOf(account, async () => {
        const ways = [...waysToAsk(use.id, search_id), ...waysToAsk(use.id, search_id)];
        calls = await Promise.all(ways.map(([more, ask]) => account.call(use, more, ask)));
      });
      const failed = calls.find((call) => !hasSucceeded(call));
      if (failed) throw new Blocked("a Call of the charged tool did not succeed", failed.exchange);
      expect(events, "new usage events of Calls").toHaveLength(calls.length);
      expect(entries, "new consuming ledger entries").toHaveLength(calls.length);
      for (const call of calls) {
        const id = call.at("execution_id").value;
        const ofCall = events.filter((event) => event.at("execution_id").value === id);
        expect(ofCall, `usage events of ${String(id)}`).toHaveLength(1);
      }
      const links = events.map((event) => linkOf(event).value);
      expect(new Set(links).size, "ledger entries that the events link to").toBe(calls.length);
      for (const event of events) {
        const linked = entries.filter((entry) => idOf(entry) === linkOf(event).value);
        expectAgreement(event, linked);
      }
      expect(fall, "credits consumed").toBeCredits(sumOf(events.map((event) => settledOf(event).number)));
      const moved = entries.map((entry) => Math.abs(amountOf(entry)!));
      expect(sumOf(moved), "credits moved in the ledger").toBeCredits(fall);
    },
  ),

  ...(
    [
      ["charged", "", ["tool.charged"]],
      ["slow", " that take long", ["tool.slow", "tool.charged"]],
    ] as const
  ).map(([role, what, needs]) =>
    check(
      ["BILL-13", "CALL-37", "CALL-40"],
      `Calls${what} at the same time never take a trial's balance below zero`,
      { needs: [...needs], feature: "trial" },
      (stage) => expectNoDebt(stage, role),
    ),
  ),

  check(
    ["INSP-16", "PROB-08", "DISC-40"],
    "an account without credits can still Inspect and Probe",
    { needs: ["tool.charged", "exhausted"] },
    async ({ account, stranger, tool, profile, expect }) => {
      const { id } = tool("charged");
      usable(await account.inspect([id]));
      usable(await account.probe(id));
      const poor = stranger.withKey(profile.credentials.exhausted!);
      expect(await poor.inspect([id])).toHaveStatus(200);
      expect(await poor.probe(id)).toHaveStatus(200);
    },
  ),
];

/** Calls in a race beyond those that the balance covers. */
const surplus = 10;

/** Requests of a trial's quota that a race reserves for reading. */
const reserve = 10;

/** Calls that a trial can still pay for when a race begins: a server may perform them one after another. */
const maxCovered = 5;

/** The longest that Calls at the same time may take one after another: the timeout for an answer is 30 s. */
const longestRaceMs = 25_000;

/** Every way to ask for the whole result of a Call. */
const waysToAsk = (id: string, search_id: string): [more: Record<string, unknown>, ask?: Ask][] => [
  [{}],
  [{ search_id, model: "some-model" }],
  [{ session_id: undefined }],
  [{ max_response_size: -1 }],
  [{ tool_id: undefined }, { query: { tool_id: id } }],
];

const inTimes = <T>(count: number, act: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, act));

const hasSucceeded = (answer: Answer): boolean =>
  answer.status === 200 && answer.at("success").value === true;

/** The cost of each request of a tool according to Inspect now, as prices may change; undefined when its rule does not say. */
export async function priceByRule(account: Account, id: string): Promise<number | undefined> {
  const rule = usable(await account.inspect([id])).at("results.0.billing_rule");
  const [unit, price] = [rule.at("unit").value, rule.at("amount_credits").value];
  const isForRequests = typeof unit === "string" && /request|call|execution/i.test(unit);
  return isForRequests && typeof price === "number" ? price : undefined;
}

/** The credits that a Call of a tool takes from an account, and the time that it takes. */
async function priceAndTime(
  account: Account,
  use: Required<Use>,
): Promise<{ price: number; tookMs: number }> {
  let tookMs = 0;
  const price = await fallOf(account, async () => {
    tookMs = (await account.succeed(use)).exchange.duration_ms;
  });
  return { price, tookMs };
}

/** Calls a tool until an account has little more than some credits left; returns the number of Calls. */
async function spendDownTo(
  credits: number,
  { account, use, maxCalls }: { account: Account; use: Required<Use>; maxCalls: number },
): Promise<number> {
  const { price, tookMs } = await priceAndTime(account, use);
  if (price <= 0) return 1;
  const needed = Math.floor(((await account.credits()) - credits) / price);
  const count = Math.max(0, Math.min(needed, maxCalls));
  const concurrency = Math.max(1, Math.floor(longestRaceMs / Math.max(1, tookMs)));
  await mapConcurrently(Array.from({ length: count }), concurrency, () => account.call(use));
  await account.settled();
  return 1 + count;
}

/** A trial, and more Calls than its credits cover. */
interface Race {
  trial: Account;
  use: Required<Use>;
  price: number;
  owned: number;
  count: number;
}

/** A trial that can afford a few Calls of the tool for a role, and is about to make more. */
async function raceOf({ stranger, tool, unique, profile }: Stage, role: "charged" | "slow"): Promise<Race> {
  const use = tool(role);
  const registered = usable(
    await stranger.ask("registerAnonymous", { body: { agent_name: unique("race") } }),
  );
  const trial = stranger.withKey(registered.at("data.api_key").string);
  const { price, tookMs } = await priceAndTime(trial, use);
  if (price <= 0) throw new Unverifiable(`${use.id} costs a trial nothing`);
  const maxCalls = profile.limits.call - reserve - surplus;
  const spent = await spendDownTo(maxCovered * price, { account: trial, use: tool("charged"), maxCalls });
  const owned = await trial.credits();
  const covered = Math.floor(owned / price);
  const count = Math.min(covered + surplus, profile.limits.call - reserve - spent);
  if (count * tookMs > longestRaceMs) {
    throw new Unverifiable(
      `${count} Calls of ${use.id}, performed one after another, take longer than the timeout for an answer`,
      `tools: {${role}: {id: A_FASTER_TOOL}}`,
    );
  }
  if (count <= covered) {
    throw new Unverifiable(
      `the quota ends before ${owned} credits are used up at ${price}`,
      `tools: {${role}: {id: A_DEARER_TOOL}}`,
    );
  }
  return { trial, use, price, owned, count };
}

/** Races Calls of a trial for more credits than it has, and expects that it never owes any. */
async function expectNoDebt(stage: Stage, role: "charged" | "slow"): Promise<void> {
  const { expect } = stage;
  const race = await raceOf(stage, role);
  const { trial, use, price, owned, count } = race;
  let calls: Answer[] = [];
  const { entries, granted, fall, balance } = await tracesOf(trial, async () => {
    calls = await inTimes(count, () => trial.call(use));
  });
  if (fall === 0 && !calls.some(hasSucceeded))
    throw new Blocked("none of the Calls succeeded", calls[0]!.exchange);
  const consumed = sumOf(entries.map((entry) => Math.abs(amountOf(entry)!)));
  expect(balance, "remaining credits after the race").toBeAtLeast(0);
  const most = owned + granted;
  expect(atMostCredits(consumed, most), `whether ${consumed} credits consumed are at most ${most}`).toBe(
    true,
  );
  expect(fall, "credits by which the balance fell").toBeCredits(consumed);
  for (const call of calls) {
    const remaining = call.at("remaining_credits");
    if (typeof remaining.value === "number") expect(remaining).toBeAtLeast(0);
  }
  for (const entry of entries) {
    const after = balanceOf(entry, "after");
    if (after !== undefined) expect(after, "the balance after an entry").toBeAtLeast(0);
  }
  if ((await priceByRule(trial, use.id)) !== price) return;
  const paid = calls.filter(({ status }) => status !== 402).length;
  expect(
    atMostCredits(fall, paid * price),
    `whether ${fall} credits are at most the price of the ${paid} Calls that were not answered with 402`,
  ).toBe(true);
  await expectCovered(stage, race, balance);
}

/** Racing Calls may have been refused because of others' holds; in sequence, all that are covered are not. */
async function expectCovered({ expect }: Stage, { trial, use, price }: Race, balance: number): Promise<void> {
  let left = balance;
  for (let more = 0; more < reserve / 2 && atMostCredits(price, left); more += 1) {
    const { status } = await trial.call(use);
    expect(status, `the status of a Call at ${price} of ${left} credits`).not(402);
    left = await trial.credits();
  }
}
