import { check, type Stage } from "../../run/check.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import type { Profile } from "../../server/profile.ts";
import { ampleBudget } from "../../server/scout.ts";
import { atMostCredits } from "../../judge/credits.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { idOf } from "../../books/listed.ts";
import { fallOf } from "../balance.ts";
import { linkOf, settledOf, tracesOf } from "../billing/traces.ts";

const feature = "capabilities";
const query = { needs: ["capability.query"], feature, credits: 10 } as const;
const detail = { needs: ["capability.detail"], feature } as const;

export const checks = [
  check("CAPA-07", "a query with a budget is answered with 200", query, async (stage) => {
    stage.expect(await ask(stage.account, stage)).toHaveSucceeded();
  }),

  check(
    ["CAPA-03", "CAPA-04", "CAPA-06"],
    "a query that names the version of the detail names its schema hash too",
    { needs: ["capability.query", "capability.detail"], feature },
    async (stage) => {
      const { account, capability, expect } = stage;
      const { id } = capability("query");
      const before = usable(await detailOf(account, id));
      const answer = await succeed(account, stage);
      const after = await details(account, id);
      const [version, hash] = ["contract_version", "schema_hash"];
      for (const field of [version, hash]) {
        if (!before.at(field).present) throw new Unverifiable(`${id} is a legacy record`);
        expect(answer.at(field)).toBePresent();
      }
      const versions = [before, ...after].map((shown) => shown.at(version).value);
      const areApart = new Set(versions).size === versions.length;
      expect(areApart, `whether each of ${versions.length} details in a row names another ${version}`).toBe(
        false,
      );
      if (versions.some((shown) => shown !== versions[0])) throw new Unverifiable(`${id} has just changed`);
      const hashes = new Set([before, ...after].map((detail) => detail.at(hash).value));
      expect(hashes.size, `different values of schema_hash for one contract_version of ${id}`).toBe(1);
      // "The contract identified is the one used by the actual execution", which may always be another.
      if (answer.at(version).value !== before.at(version).value)
        throw new Unverifiable(`the query was executed by another contract than the detail of ${id} shows`);
      expect(answer.at(hash)).toBe(before.at(hash).value);
    },
  ),

  check("CAPA-08", "a budget below every price is answered with 422", query, async (stage) => {
    await priceOf(stage.account, stage);
    await expectNoneFits(stage);
  }),

  check(
    "CAPA-07",
    "a query with a budget of exactly its price is answered with 200",
    query,
    async (stage) => {
      const price = await lowestPrice(stage.account, stage);
      stage.expect(await ask(stage.account, stage, { max_credits: price })).toHaveStatus(200);
    },
  ),

  check(
    "CAPA-07",
    "a query of a legacy capability is answered with 200",
    { needs: ["capability.legacy"], feature, credits: 10 },
    async ({ account, capability, profile, expect }) => {
      if (profile.capabilities.legacy?.parameters === undefined) {
        throw new Unverifiable(
          "which parameters the legacy capability takes is not given",
          "capabilities: {legacy: {id: CAPABILITY_ID, parameters: {NAME: VALUE}}}",
        );
      }
      const { id, parameters } = capability("legacy");
      const body = { capability_id: id, parameters, max_credits: ampleBudget };
      expect(await account.ask("queryCapability", { body })).toHaveSucceeded();
    },
  ),

  check(
    "CAPA-09",
    "a query stays within a budget below what it would otherwise cost",
    query,
    async (stage) => {
      const { account, expect } = stage;
      const price = await priceOf(account, stage);
      for (const budget of [0.9 * price, below(price)]) {
        const fall = await fallOf(account, async () => {
          expect(await ask(account, stage, { max_credits: budget })).toHaveStatus(200, 422);
        });
        expect(
          atMostCredits(fall, budget),
          `whether ${fall} credits are at most the budget of ${budget}`,
        ).toBe(true);
      }
    },
  ),

  check(["CAPA-09", "CAPA-10"], "a budget of zero or less buys nothing", query, async (stage) => {
    const { account, expect } = stage;
    await priceOf(account, stage);
    const fall = await fallOf(account, async () => {
      for (const budget of [0, -5]) {
        const answer = await ask(account, stage, { max_credits: budget });
        expect(answer).toHaveStatus(200, 422);
        // A free candidate may fit within it.
        if (answer.status === 200) expect(answer.at("credits_used")).toBeCredits(0);
      }
    });
    expect(fall, "credits consumed").toBeCredits(0);
  }),

  check("CAPA-10", "a query that its budget refuses moves no credits", query, async (stage) => {
    const { account, expect } = stage;
    await priceOf(account, stage);
    const fall = await fallOf(account, () => expectNoneFits(stage));
    expect(fall, "credits consumed").toBeCredits(0);
  }),

  ...(
    [
      ["a capability_id that is not a string", { capability_id: 42 }],
      ["parameters that are not an object", { parameters: "none" }],
      ["a max_credits that is not a number", { max_credits: "many" }],
    ] as const
  ).map(([what, spoiled]) =>
    check("CAPA-11", `a query with ${what} is refused with 422`, query, async (stage) => {
      await succeed(stage.account, stage);
      stage.expect(await ask(stage.account, stage, spoiled)).toHaveStatus(422);
    }),
  ),

  check(
    ["CAPA-12", "CAPA-13"],
    "a query leaves its usage event with the credits that it used",
    query,
    async (stage) => {
      const { account, expect } = stage;
      const answer = await succeed(account, stage);
      const event = await account.usageOf(answer);
      expect(event, "the usage event").toBePresent();
      expect(event.at("event_type")).toBe("capabilities_query");
      expect(settledOf(event)).toBeCredits(answer.at("credits_used").number);
    },
  ),

  check(
    "BILL-11",
    "a charged capability query leaves one usage event, and the one ledger entry that it links to",
    query,
    async (stage) => {
      const { account, expect } = stage;
      await priceOf(account, stage);
      let answer: Answer | undefined;
      const { entries } = await tracesOf(account, async () => void (answer = await succeed(account, stage)));
      const events = await account.usageEventsOf(answer!.at("execution_id").string);
      expect(events, "usage events of the query").toHaveLength(1);
      expect(entries, "new consuming ledger entries").toHaveLength(1);
      expect(events[0]!.at("charge_outcome")).toBe("charged");
      expect(linkOf(events[0]!)).toBe(idOf(entries[0]!));
      expect(entries[0]!.at("amount_credits")).toBeCredits(-answer!.at("credits_used").number);
    },
  ),

  check(
    "LEDG-11",
    "the ledger entry of a charged capability query carries the execution_id of the answer",
    query,
    async (stage) => {
      const { account, expect } = stage;
      const answer = await succeed(account, stage);
      if (answer.at("credits_used").value === 0) {
        throw new Unverifiable(
          "a query of the capability costs nothing",
          "capabilities: {query: A_CHARGED_CAPABILITY}",
        );
      }
      const [entry] = await account.ledgerOf(answer);
      if (entry === undefined) throw new Blocked("the query has no ledger entry", answer.exchange);
      expect(entry.at("execution_id")).toBe(answer.at("execution_id").value);
    },
  ),

  check("CAPA-12", "the balance falls by the credits that a query used", query, async (stage) => {
    const { account, expect } = stage;
    let used = 0;
    const fall = await fallOf(account, async () => {
      used = (await succeed(account, stage)).at("credits_used").number;
    });
    expect(used, "credits_used").toBeCredits(fall);
  }),

  check(
    "CAPA-14",
    "a query that the balance does not cover is answered with 402",
    { needs: ["capability.query", "exhausted"], feature },
    async (stage) => {
      const { account, stranger, profile } = stage;
      await priceOf(account, stage);
      expectRefusal(stage, await ask(stranger.withKey(profile.credentials.exhausted!), stage), 402);
    },
  ),

  ...(
    [
      ["CAPA-17", "timeout", "times out", 408],
      ["CAPA-19", "unroutable", "cannot be routed", 503],
    ] as const
  ).map(([clause, role, what, status]) =>
    check(
      clause,
      `a query that ${what} is answered with ${status}`,
      { needs: [`capability.${role}`], feature },
      async ({ account, capability, expect }) => {
        // The bodies of these statuses are not shown, so they do not distinguish this API from another.
        await account.credits();
        const { id: capability_id, parameters } = capability(role);
        const body = { capability_id, parameters, max_credits: ampleBudget };
        expect(await account.ask("queryCapability", { body })).toHaveStatus(status);
      },
    ),
  ),

  check(
    "CAPA-15",
    "a query that breaks the constraints of a delegation token is refused with 403",
    { needs: ["capability.query", "delegation"], feature: "delegation" },
    async (stage) => {
      const { account, run_id, provider_id } = delegate(stage);
      const allowed = await ask(account, stage, { run_id, provider_id });
      if (allowed.status !== 200)
        throw new Unverifiable("the delegation token does not open the query otherwise");
      const refused = await ask(account, stage, { run_id: stage.unique("run"), provider_id });
      if (refused.status === 200)
        throw new Unverifiable("a query does not read the constraints from its body");
      stage.expect(refused).toHaveStatus(403);
      const elsewhere = await ask(account, stage, { run_id, provider_id: stage.unique("provider") });
      stage.expect(elsewhere).toHaveStatus(403);
    },
  ),

  check(
    ["CAPA-15", "CAPA-27"],
    "a delegation token that names a provider other than the capability's is refused with 403",
    { needs: ["capability.query", "capability.forbidden", "delegation"], feature: "delegation" },
    async (stage) => {
      const { account, run_id, provider_id } = delegate(stage);
      if ((await ask(account, stage, { run_id, provider_id })).status !== 200)
        throw new Unverifiable("the delegation token does not open the query otherwise");
      const { id, parameters } = stage.capability("forbidden");
      const query = { run_id, provider_id };
      const body = { capability_id: id, parameters, max_credits: ampleBudget, ...query };
      stage.expect(await account.ask("queryCapability", { body })).toHaveStatus(403);
      stage.expect(await account.ask("getCapability", { parameter: id, query })).toHaveStatus(403);
    },
  ),

  check("CAPA-23", "a detail is answered with 200 without run_id and provider_id", detail, async (stage) => {
    const { account, capability, expect } = stage;
    const answer = await detailOf(account, capability("detail").id);
    expect(answer).toHaveStatus(200);
    expect(answer.at("capability_id")).toBe(capability("detail").id);
  }),

  check("CAPA-21", "a detail identifies its contract by version and hash", detail, async (stage) => {
    const answer = usable(await detailOf(stage.account, stage.capability("detail").id));
    stage.expect(answer.at("contract_version")).toBeA("integer");
    stage.expect(answer.at("schema_hash")).toBeA("string");
  }),

  check(
    "CAPA-22",
    "a legacy record leaves out both contract_version and schema_hash, or neither",
    { needs: ["capability.legacy"], feature },
    async ({ account, capability, expect }) => {
      const answer = usable(await detailOf(account, capability("legacy").id));
      expect(answer.at("contract_version").present, "whether contract_version is there").toBe(
        answer.at("schema_hash").present,
      );
    },
  ),

  check("CAPA-24", "a capability_id of white space is refused with 422", detail, async (stage) => {
    usable(await detailOf(stage.account, stage.capability("detail").id));
    stage.expect(await detailOf(stage.account, " ")).toHaveStatus(422);
    stage.expect(await detailOf(stage.account, " \t ")).toHaveStatus(422);
  }),

  check(
    "CAPA-25",
    "a delegation token reads a detail with its own run_id and provider_id",
    { needs: ["capability.detail", "delegation"], feature: "delegation" },
    async (stage) => stage.expect(await delegatedDetail(stage)).toHaveStatus(200),
  ),

  ...(["run_id", "provider_id"] as const).flatMap((constraint) => [
    check(
      "CAPA-26",
      `a delegation token without ${constraint} is refused on a detail`,
      { needs: ["capability.detail", "delegation"], feature: "delegation" },
      async (stage) => {
        usable(await delegatedDetail(stage));
        for (const nothing of [
          { [constraint]: undefined },
          { [constraint]: "" },
          { run_id: undefined, provider_id: undefined },
        ]) {
          stage.expect(await delegatedDetail(stage, nothing)).toHaveStatus(403, 422);
        }
      },
    ),

    check(
      "CAPA-27",
      `a delegation token with another ${constraint} is refused on a detail with 403`,
      { needs: ["capability.detail", "delegation"], feature: "delegation" },
      async (stage) => {
        usable(await delegatedDetail(stage));
        const own = delegate(stage)[constraint];
        for (const other of [stage.unique("other"), `${own}0`]) {
          stage.expect(await delegatedDetail(stage, { [constraint]: other })).toHaveStatus(403);
        }
      },
    ),
  ]),

  check(
    "CAPA-28",
    "a detail that is refused for lack of credits is answered with 402",
    { needs: ["capability.detail", "exhausted"], feature },
    async ({ account, stranger, profile, capability, expect }) => {
      const { id } = capability("detail");
      usable(await detailOf(account, id));
      const answer = await detailOf(stranger.withKey(profile.credentials.exhausted!), id);
      if (answer.status === 200) throw new Unverifiable("a detail is not refused for lack of credits");
      expect(answer).toHaveStatus(402);
    },
  ),
];

/** Queries the profile's capability; `more` extends or overrides the body. */
function ask(account: Account, { capability }: Stage, more: Record<string, unknown> = {}): Promise<Answer> {
  const { id, parameters } = capability("query");
  return account.ask("queryCapability", {
    body: { capability_id: id, parameters, max_credits: ampleBudget, ...more },
  });
}

/** The same, for a check that depends on its success. */
async function succeed(account: Account, stage: Stage, more: Record<string, unknown> = {}): Promise<Answer> {
  const answer = await ask(account, stage, more);
  if (answer.status === 200 && answer.at("success").value === true) return answer;
  throw new Blocked("the capability query that this builds on did not succeed", answer.exchange);
}

/** The charge of a query with a large budget. */
async function priceOf(account: Account, stage: Stage): Promise<number> {
  const price = (await succeed(account, stage)).at("credits_used").number;
  if (price > 0) return price;
  throw new Unverifiable(
    "a query of the capability costs nothing",
    "capabilities: {query: A_CHARGED_CAPABILITY}",
  );
}

/** A budget slightly below a price, by an amount that rounding would remove. */
const below = (price: number): number => Math.max(price - 0.001, 0.999 * price);

/** Maximum number of candidates of one capability examined for the cheapest. */
const maxCandidates = 5;

/** The price below which no budget buys anything. @throws Unverifiable when it varies between queries */
async function lowestPrice(account: Account, stage: Stage): Promise<number> {
  let price = await priceOf(account, stage);
  let answer = await succeed(account, stage);
  let isLowest = false;
  for (let found = 1; found < maxCandidates; found += 1) {
    const cheaper = await ask(account, stage, { max_credits: below(price) });
    if (cheaper.status !== 200) {
      isLowest = true;
      break;
    }
    price = cheaper.at("credits_used").number;
    answer = cheaper;
  }
  if (!isLowest) throw new Unverifiable("no budget is shown to be below every price");
  const rule = (await account.usageOf(answer)).at("billing_rule_snapshot");
  const isFixed =
    answer.at("credits_used").value === price &&
    rule.at("amount_credits").value === price &&
    /request|call|execution|query/i.test(String(rule.at("unit").value));
  if (isFixed && price > 0) return price;
  throw new Unverifiable(
    "a query is not shown to cost the same each time",
    "capabilities: {query: A_CAPABILITY_AT_A_PRICE_FOR_EACH_REQUEST}",
  );
}

const detailOf = (account: Account, id: string): Promise<Answer> =>
  account.ask("getCapability", { parameter: id });

type Delegation = NonNullable<Profile["credentials"]["delegation"]>;

/** The holder of the delegation token, with its constraints. */
function delegate({ stranger, profile }: Stage): Delegation & { account: Account } {
  const delegation = profile.credentials.delegation!;
  return { ...delegation, account: stranger.withKey(delegation.token) };
}

/** The detail as read with the delegation token, with other constraints if given. */
function delegatedDetail(
  stage: Stage,
  constraints: Record<string, string | undefined> = {},
): Promise<Answer> {
  const { account, run_id, provider_id } = delegate(stage);
  const parameter = stage.capability("detail").id;
  return account.ask("getCapability", { parameter, query: { run_id, provider_id, ...constraints } });
}

/** Below the price of any candidate, unless one is nearly free. */
const hardlyAnything = 0.000001;

/** Expects a query to be refused for what it costs. @throws Unverifiable when a candidate costs hardly anything */
function expectRefusal({ expect, capability }: Stage, answer: Answer, status: number): void {
  const used = answer.at("credits_used").value;
  if (answer.status === 200 && typeof used === "number" && used <= hardlyAnything)
    throw new Unverifiable(`a candidate of ${capability("query").id} is free, or nearly so`);
  expect(answer).toHaveStatus(status);
}

/** Expects a tiny budget to be refused. */
const expectNoneFits = async (stage: Stage): Promise<void> =>
  expectRefusal(stage, await ask(stage.account, stage, { max_credits: hardlyAnything }), 422);

/** The detail of a capability as several reads show it: each process of a server may answer one. */
async function details(account: Account, id: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let read = 1; read <= 6; read += 1) answers.push(usable(await detailOf(account, id)));
  return answers;
}
