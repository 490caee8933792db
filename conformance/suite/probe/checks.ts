import { liveBudgets, probeChecks } from "../../../generated/contract.ts";
import { check, type Stage } from "../../run/check.ts";
import type { Located } from "../../judge/answer.ts";
import { oneOfFields } from "../../judge/params.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Role, Use } from "../../server/profile.ts";
import { unheardOf } from "../../server/unheard-of.ts";
import { affordable, areMadeUp, sampleParameters } from "../../server/tools.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { priceByRule } from "../billing/checks.ts";
import { widest } from "../discover/checks.ts";
import { definitionsOf, spoiled, without } from "../call/faults.ts";

export const checks = [
  check(
    "PROB-03",
    "the quote of a tool with a known price is a number",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      const price = await priceByRule(account, id);
      if (price === undefined) throw new Unverifiable(`${id} shows no billing_rule for each request`);
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
    "every check is accepted, alone and together, and none is required",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      expect(await account.probe(id, {})).toHaveStatus(200);
      for (const asked of [...probeChecks.map((check) => [check]), [...probeChecks]]) {
        expect(await account.probe(id, { parameters, checks: asked })).toHaveStatus(200);
      }
    },
  ),

  check(
    "PROB-09",
    "parameters that keep a tool's contract are valid",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const unknown: string[] = [];
      for (const use of usesOf(stage, [...priced, "required_parameter", "enum", "one_of"])) {
        const { id, parameters } = use;
        const answer = usable(await account.probe(id, { parameters, checks: ["schema"] }));
        const valid = answer.at("schema.valid");
        const contract = async (): Promise<Located> => usable(await account.inspect([id])).at("results.0");
        if (valid.value === false && areMadeUp(use, await contract())) unknown.push(id);
        else expect(valid).toBe(true);
      }
      if (unknown.length === 0) return;
      throw new Unverifiable(
        `neither the profile nor a sample shows valid parameters of ${unknown.join(", ")}`,
        "tools: {ROLE: {id: TOOL_ID, parameters: {NAME: VALUE}}}",
      );
    },
  ),

  ...(
    [
      ["PROB-10", "a missing required parameter is not valid", "missing", "required_parameter"],
      ["PROB-11", "a value outside its enum is not valid", "outside", "enum"],
      ["PROB-12", "a value of the wrong type is not valid", "mistyped", "required_parameter"],
    ] as const
  ).map(([clause, title, kind, role]) =>
    check(clause, title, { needs: [`tool.${role}`] }, async (stage) => {
      const { account, expect } = stage;
      for (const { use, faults } of await spoiled(stage, kind)) {
        await expectRight(account, use);
        for (const [index, { what, parameters }] of faults.entries()) {
          // Everything requested is answered, even with invalid parameters: the rules judge that. No budget excuses any.
          const live_budget = liveBudgets[index % liveBudgets.length];
          const answer = usable(
            await account.probe(use.id, { parameters, checks: probeChecks, live_budget }),
          );
          expect(answer.at("schema.valid"), `schema.valid with ${what}`).toBe(false);
        }
      }
    }),
  ),

  check(
    "PROB-13",
    "parameters without any field of a one-of group are not valid",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const use = tool("one_of");
      const group = oneOfFields((await definitionsOf(account, use.id)).map(({ value }) => value));
      if (group.length === 0) throw new Unverifiable(`${use.id} shows no one-of group`);
      await expectRight(account, use);
      const parameters = without(use.parameters, ...group);
      const answer = usable(await account.probe(use.id, { parameters, checks: ["schema"] }));
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
      for (const budget of liveBudgets) {
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
      for (const { id, parameters } of usesOf(stage, priced)) {
        for (const budget of liveBudgets) {
          usable(await account.probe(id, { parameters, checks: probeChecks, live_budget: budget }));
        }
      }
      // Reading the Calls waits until any side effects of the Probes have settled.
      expect(await account.calls(), "the Calls in usage audit after the Probes").toBe(calls);
      expect(await account.credits(), "the credits after the Probes").toBeCredits(before);
    },
  ),

  check(
    "PROB-19",
    "a Probe of a tool that does not exist is answered with 404",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      expect(await account.probe(tool("charged").id, { checks: ["schema"] })).toHaveStatus(200);
      // In the format of a known id: another format may be refused for that reason.
      const unknown = unheardOf(tool("charged").id);
      for (const body of [{ checks: ["schema"] }, { checks: ["quote"] }, { checks: ["coverage"] }, {}]) {
        expect(await account.probe(unknown, body)).toHaveStatus(404);
      }
    },
  ),

  check(
    "PROB-22",
    "an exact quote is the pre-settlement bill of a Call made right after it",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      let exact = 0;
      for (const use of await differentlyPriced(stage)) {
        const quote = async (): Promise<Located> =>
          usable(await account.probe(use.id, { parameters: use.parameters, checks: ["quote"] })).at("quote");
        const quotes = [await quote(), await quote()];
        // An estimate may be null.
        const isExact = (each: Located): boolean =>
          each.at("exact").value === true && typeof each.at("estimate_credits").value === "number";
        if (!quotes.every(isExact)) continue;
        const estimates = quotes.map((each) => each.at("estimate_credits").number);
        // The profile has agreed to the cost of the charged tool.
        if (use.id !== stage.tool("charged").id && Math.max(...estimates) > affordable) continue;
        const call = await account.call(use);
        if (call.at("success").value !== true) continue;
        const event = await account.usageOf(call);
        const amounts = ["requested_amount_credits", "pre_settlement_amount_credits"];
        const shown = amounts.map((name) => event.at(name)).find((amount) => amount.present);
        if (shown === undefined) throw new Unverifiable("the usage event shows no amount before settlement");
        for (const estimate of estimates)
          expect(shown, `what a Call of ${use.id} is billed`).toBeCredits(estimate);
        exact += 1;
      }
      // `exact` is a boolean: a server that promises no quote to be exact is lawful.
      if (exact === 0) throw new Unverifiable("no quote is exact for a tool that works and costs little");
    },
  ),
];

/** Probes parameters that satisfy a tool's contract, as a baseline. @throws Blocked when they are not valid */
async function expectRight(account: Account, { id, parameters }: Required<Use>): Promise<void> {
  const right = usable(await account.probe(id, { parameters, checks: ["schema"] }));
  if (right.at("schema.valid").value !== true) {
    throw new Blocked(`the Probe of ${id} does not find its own sample parameters valid`, right.exchange);
  }
}

const priced: readonly Role[] = ["charged", "included", "expensive", "zero_parameter"];

/** The tools of these roles that the profile names. */
const usesOf = ({ profile }: Stage, roles: readonly Role[]): Required<Use>[] =>
  roles
    .map((role) => profile.tools[role])
    .filter((use) => use !== undefined)
    .map((use) => ({ parameters: {}, ...use }));

/** The charged tools of the run, and a tool found by Discover that is charged by what it delivers. */
async function differentlyPriced({ account, profile, tool }: Stage): Promise<Required<Use>[]> {
  const uses = [tool("charged")];
  const decimal = profile.tools.charged_decimal;
  if (decimal !== undefined && decimal.id !== uses[0]!.id) uses.push({ parameters: {}, ...decimal });
  for (const query of widest) {
    const results = usable(await account.discover({ query, limit: 100 })).at("results").items;
    const byUnit = results.find((result) => {
      const { unit } = (result.at("billing_rule").value ?? {}) as { unit?: unknown };
      return typeof unit === "string" && !/request|call|execution|query/i.test(unit);
    });
    if (byUnit === undefined) continue;
    const id = byUnit.at("tool_id").string;
    const [contract] = await account.contracts([id]);
    uses.push({ id, parameters: sampleParameters(contract) });
    break;
  }
  return uses;
}
