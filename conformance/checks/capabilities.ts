import { check, type Stage } from "../check.ts";
import { usable, type Account } from "../target/account.ts";
import type { Answer } from "../target/answer.ts";
import type { Profile } from "../target/profile.ts";
import { Blocked, Unverifiable } from "../verdict.ts";
import { fallOf } from "./balance.ts";
import { settledOf, tracesOf } from "./billing-traces.ts";

/** A budget that no affordable candidate exceeds. */
const enough = 100;

const feature = "capabilities";
const query = { needs: ["capability.query"], feature, credits: 10 } as const;
const detail = { needs: ["capability.detail"], feature } as const;

/** Queries the profile's capability; `more` adds to the body or replaces parts of it. */
function ask(account: Account, { capability }: Stage, more: Record<string, unknown> = {}): Promise<Answer> {
  const { id, parameters } = capability("query");
  return account.ask("queryCapability", {
    body: { capability_id: id, parameters, max_credits: enough, ...more },
  });
}

/** The same, for a check that builds on a query that works. */
async function succeed(account: Account, stage: Stage, more: Record<string, unknown> = {}): Promise<Answer> {
  const answer = await ask(account, stage, more);
  if (answer.status === 200 && answer.at("success").value === true) return answer;
  throw new Blocked("the capability query, on which this builds, did not succeed", answer.exchange);
}

/** What a query within a large budget is charged. */
async function priceOf(account: Account, stage: Stage): Promise<number> {
  const price = (await succeed(account, stage)).at("credits_used").number;
  if (price > 0) return price;
  throw new Unverifiable(
    "a query of the capability costs nothing",
    "capabilities: {query: A_CHARGED_CAPABILITY}",
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

/** The detail as the delegation token may read it, with other constraints when told. */
function delegatedDetail(
  stage: Stage,
  constraints: Record<string, string | undefined> = {},
): Promise<Answer> {
  const { account, run_id, provider_id } = delegate(stage);
  const parameter = stage.capability("detail").id;
  return account.ask("getCapability", { parameter, query: { run_id, provider_id, ...constraints } });
}

export const capabilities = [
  check("CAPA-07", "a query with a budget is answered with 200", query, async (stage) => {
    stage.expect(await ask(stage.account, stage)).toHaveSucceeded();
  }),

  check(
    ["CAPA-03", "CAPA-04", "CAPA-06"],
    "a query was executed by the contract that the detail shows",
    { needs: ["capability.query", "capability.detail"], feature },
    async (stage) => {
      const { account, capability, expect } = stage;
      const { id } = capability("query");
      const before = usable(await detailOf(account, id));
      const answer = await succeed(account, stage);
      const after = usable(await detailOf(account, id));
      for (const field of ["contract_version", "schema_hash"]) {
        if (!before.at(field).present) throw new Unverifiable(`${id} is a legacy record`);
        if (before.at(field).value !== after.at(field).value)
          throw new Unverifiable(`${id} has just changed`);
        expect(answer.at(field)).toBe(before.at(field).value);
      }
    },
  ),

  check("CAPA-08", "a budget below every price is answered with 422", query, async (stage) => {
    await priceOf(stage.account, stage);
    stage.expect(await ask(stage.account, stage, { max_credits: 0.000001 })).toHaveStatus(422);
  }),

  check("CAPA-09", "a query stays within a budget below what it would else cost", query, async (stage) => {
    const { account, expect } = stage;
    const budget = 0.9 * (await priceOf(account, stage));
    const fall = await fallOf(account, async () => {
      expect(await ask(account, stage, { max_credits: budget })).toHaveStatus(200, 422);
    });
    expect(fall, `credits consumed of a budget of ${budget}`).toBeAtMost(budget);
  }),

  check("CAPA-10", "a query that its budget refuses moves no credits", query, async (stage) => {
    const { account, expect } = stage;
    await priceOf(account, stage);
    const fall = await fallOf(account, async () => {
      expect(await ask(account, stage, { max_credits: 0.000001 })).toHaveStatus(422);
    });
    expect(fall, "credits consumed").toBeCredits(0);
  }),

  ...(
    [
      ["capability_id that is no string", { capability_id: 42 }],
      ["parameters that are no object", { parameters: "none" }],
      ["max_credits that is no number", { max_credits: "many" }],
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
      expect(events[0]!.at("credits_ledger_entry_id")).toBe(entries[0]!.at("id").value);
      expect(entries[0]!.at("amount_credits")).toBeCredits(-answer!.at("credits_used").number);
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
      const { account, stranger, profile, expect } = stage;
      await priceOf(account, stage);
      expect(await ask(stranger.withKey(profile.credentials.exhausted!), stage)).toHaveStatus(402);
    },
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
        for (const nothing of [undefined, ""]) {
          stage.expect(await delegatedDetail(stage, { [constraint]: nothing })).toHaveStatus(403, 422);
        }
      },
    ),

    check(
      "CAPA-27",
      `a delegation token with another ${constraint} is refused on a detail with 403`,
      { needs: ["capability.detail", "delegation"], feature: "delegation" },
      async (stage) => {
        usable(await delegatedDetail(stage));
        stage.expect(await delegatedDetail(stage, { [constraint]: stage.unique("other") })).toHaveStatus(403);
      },
    ),
  ]),

  check(
    "CAPA-28",
    "a detail that is refused for want of credits is answered with 402",
    { needs: ["capability.detail", "exhausted"], feature },
    async ({ account, stranger, profile, capability, expect }) => {
      const { id } = capability("detail");
      usable(await detailOf(account, id));
      expect(await detailOf(stranger.withKey(profile.credentials.exhausted!), id)).toHaveStatus(200, 402);
    },
  ),
];
