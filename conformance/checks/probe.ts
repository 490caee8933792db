import { check, type Stage } from "../check.ts";
import { oneOfGroups } from "../rules/params.ts";
import { isFields } from "../rules/seen.ts";
import { usable, type Account } from "../target/account.ts";
import type { Answer } from "../target/answer.ts";
import type { Role, Use } from "../target/profile.ts";
import { Blocked, Unverifiable } from "../verdict.ts";

const checks = ["schema", "quote", "coverage", "sample"] as const;
const budgets = ["none", "metadata", "sampled"] as const;

/** A tool's parameter definitions, as Inspect shows them. */
async function paramsOf(account: Account, id: string): Promise<Record<string, unknown>[]> {
  const params = usable(await account.inspect([id])).at("results.0.params").items;
  return params.map(({ value }) => value).filter(isFields);
}

/** The definitions of a role's tool that fulfil the predicate. @throws Unverifiable when none does. */
async function somewhere(
  account: Account,
  id: string,
  what: string,
  predicate: (param: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const found = (await paramsOf(account, id)).find(predicate);
  if (found !== undefined) return found;
  throw new Unverifiable(`${id} has no parameter ${what}`);
}

/** Probes the schema of a tool: first with parameters that keep its contract, then with others. */
async function verdicts(
  account: Account,
  { id, parameters }: Required<Use>,
  broken: Record<string, unknown>,
): Promise<Answer> {
  const right = usable(await account.probe(id, { parameters, checks: ["schema"] }));
  if (right.at("schema.valid").value !== true) {
    throw new Blocked(`the Probe of ${id} does not find its own sample parameters valid`, right.exchange);
  }
  return usable(await account.probe(id, { parameters: broken, checks: ["schema"] }));
}

const without = (parameters: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));

/** A value that no parameter of the type takes. */
const wrongFor = (type: unknown): unknown => (type === "object" ? "a text" : { unexpected: true });

/** The parameter types of which it is known what breaks them. */
const knownTypes = ["string", "integer", "number", "boolean", "object"];

const everyRole = ({ profile }: Stage): Required<Use>[] =>
  (["charged", "included", "expensive", "zero_parameter"] as Role[])
    .map((role) => profile.tools[role])
    .filter((use) => use !== undefined)
    .map((use) => ({ parameters: {}, ...use }));

export const probe = [
  check(
    "PROB-03",
    "the quote of a tool with a known price is a number",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      const price = usable(await account.inspect([id])).at("results.0.billing_rule.amount_credits");
      if (!price.present) throw new Unverifiable(`${id} does not show its price`);
      const answer = usable(await account.probe(id, { parameters, checks: ["quote"] }));
      expect(answer.at("quote.estimate_credits")).toBeA("number");
    },
  ),

  check(
    "PROB-07",
    "a Probe without tool_id in the query is refused",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id } = tool("charged");
      expect(await account.probe(id)).toHaveStatus(200);
      expect(await account.ask("probe", { body: {} })).toHaveStatus(422, 400);
    },
  ),

  check(
    ["PROB-08", "PROB-15"],
    "every check is accepted, alone and together, and none is needed",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      expect(await account.probe(id, {})).toHaveStatus(200);
      for (const asked of [...checks.map((one) => [one]), [...checks]]) {
        expect(await account.probe(id, { parameters, checks: asked })).toHaveStatus(200);
      }
    },
  ),

  check(
    "PROB-09",
    "parameters that keep a tool's contract are valid",
    { needs: ["tool.charged"] },
    async (stage) => {
      for (const { id, parameters } of everyRole(stage)) {
        const answer = usable(await stage.account.probe(id, { parameters, checks: ["schema"] }));
        stage.expect(answer.at("schema.valid")).toBe(true);
      }
    },
  ),

  check(
    "PROB-10",
    "a missing required parameter is not valid",
    { needs: ["tool.required_parameter"] },
    async ({ account, tool, expect }) => {
      const use = tool("required_parameter");
      const { name } = await somewhere(
        account,
        use.id,
        "that is required",
        (one) => one["required"] === true,
      );
      const answer = await verdicts(account, use, without(use.parameters, [String(name)]));
      expect(answer.at("schema.valid")).toBe(false);
    },
  ),

  check(
    "PROB-11",
    "a value outside its enum is not valid",
    { needs: ["tool.enum"] },
    async ({ account, tool, expect }) => {
      const use = tool("enum");
      const listed = await somewhere(account, use.id, "with an enum of texts", (one) => {
        const values = one["enum"];
        return (
          Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string")
        );
      });
      const values = { ...use.parameters, [String(listed["name"])]: "none-of-the-listed-values" };
      const answer = await verdicts(account, use, values);
      expect(answer.at("schema.valid")).toBe(false);
    },
  ),

  check(
    "PROB-12",
    "a value of the wrong type is not valid",
    { needs: ["tool.required_parameter"] },
    async ({ account, tool, expect }) => {
      const use = tool("required_parameter");
      const param = await somewhere(account, use.id, "of a plain type", (one) =>
        knownTypes.includes(String(one["type"])),
      );
      const values = { ...use.parameters, [String(param["name"])]: wrongFor(param["type"]) };
      const answer = await verdicts(account, use, values);
      expect(answer.at("schema.valid")).toBe(false);
    },
  ),

  check(
    "PROB-13",
    "parameters without any field of a one-of group are not valid",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const use = tool("one_of");
      const [group] = oneOfGroups(await paramsOf(account, use.id));
      if (group === undefined) throw new Unverifiable(`${use.id} shows no one-of group`);
      const answer = await verdicts(account, use, without(use.parameters, group));
      expect(answer.at("schema.valid")).toBe(false);
    },
  ),

  check(
    "PROB-14",
    "parameters, checks and live_budget outside their values are refused",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      expect(await account.probe(id, { parameters, checks: ["schema"], live_budget: "none" })).toHaveStatus(
        200,
      );
      const broken: Record<string, unknown>[] = [
        { parameters: "city=Vienna" },
        { parameters: ["Vienna"] },
        { parameters, checks: ["schema", "horoscope"] },
        { parameters, checks: "schema" },
        { parameters, live_budget: "unlimited" },
      ];
      for (const body of broken) expect(await account.probe(id, body)).toHaveStatus(422, 400);
    },
  ),

  check(
    "PROB-16",
    "every live_budget is accepted",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      for (const budget of budgets) {
        const body = { parameters, checks: ["schema"], live_budget: budget };
        expect(await account.probe(id, body)).toHaveStatus(200);
      }
    },
  ),

  check(
    ["PROB-17", "PROB-21"],
    "a Probe leaves no Call behind and consumes no credits, whatever its checks and its live_budget",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const calls = await account.calls();
      const before = await account.credits();
      for (const { id, parameters } of everyRole(stage)) {
        for (const budget of budgets) {
          usable(await account.probe(id, { parameters, checks, live_budget: budget }));
        }
      }
      // Reading the Calls waits until whatever the Probes set going has settled.
      expect(await account.calls(), "the Calls in usage audit after the Probes").toBe(calls);
      expect(await account.credits(), "the credits after the Probes").toBeCredits(before);
    },
  ),

  check(
    "PROB-19",
    "a Probe of a tool that does not exist is answered with 404",
    { needs: ["tool.charged"] },
    async ({ account, tool, unique, expect }) => {
      const body = { checks: ["schema"] };
      expect(await account.probe(tool("charged").id, body)).toHaveStatus(200);
      expect(await account.probe(unique("no.such.tool"), body)).toHaveStatus(404);
    },
  ),

  check(
    "PROB-22",
    "an exact quote is what a Call made at once is billed before settlement",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const use = tool("charged");
      const answer = usable(await account.probe(use.id, { parameters: use.parameters, checks: ["quote"] }));
      if (answer.at("quote.exact").value !== true)
        throw new Unverifiable(`the quote of ${use.id} is not exact`);
      const event = await account.usageOf(await account.succeed(use));
      const amounts = ["requested_amount_credits", "pre_settlement_amount_credits"];
      const shown = amounts.map((name) => event.at(name)).find((amount) => amount.present);
      if (shown === undefined) throw new Unverifiable("the usage event shows no amount before settlement");
      expect(shown).toBeCredits(answer.at("quote.estimate_credits").number);
    },
  ),
];
