import { check, type Stage } from "../../run/check.ts";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { isFields } from "../../judge/seen.ts";
import { usable, type Ask, type Query } from "../../server/account.ts";
import type { Role } from "../../server/profile.ts";
import { operationsOf } from "../../server/requests.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

/** Roles whose Call is refused or fails at the provider, with the clause that describes how. */
const failing = [
  ["ERRO-11", "unavailable", "a Call of an unavailable tool fails, and says so"],
  ["ERRO-13", "region_restricted", "a Call that is refused for its region fails, and says so"],
  ["ERRO-14", "oauth_required", "a Call without its tool's OAuth sign-in fails, and says so"],
  ["ERRO-15", "provider_auth", "a Call that the provider does not permit fails, and says so"],
] as const;

export const checks = [
  ...(["listUsage", "listLedger"] as const).map((operation) =>
    check(
      ["ERRO-05", "ERRO-06"],
      `an invalid query of ${operation} is answered with 400 and the envelope of failure`,
      async ({ account, expect }) => {
        for (const query of valid) expect(await account.ask(operation, { query })).toHaveStatus(200);
        const directions =
          operation === "listLedger" ? [{ direction: "sideways" }, { direction: "CONSUME" }] : [];
        for (const query of [...invalid, ...directions]) {
          const answer = await account.ask(operation, { query });
          expect(answer).toHaveStatus(400);
          expect(answer.at("status")).toBe("failure");
          expect(answer.at("status_code")).toBe(-7);
          expect(answer.at("data")).toBe(null);
        }
      },
    ),
  ),

  check(
    "ERRO-07",
    "a parameter that breaks its type or its range is answered with 422 and an object that says so",
    async (stage) => {
      const { account, expect } = stage;
      expect(await account.discover({ query: "data", limit: 1 })).toHaveStatus(200);
      expect(await account.usage({ page: 1, page_size: 1 })).toHaveStatus(200);
      expect(await account.ledger({ page: 1, page_size: 1 })).toHaveStatus(200);
      for (const [operation, request, field] of brokenFor(stage)) {
        const answer = await account.ask(operation, request);
        // An audit or ledger query may be invalid in either way.
        expect(answer).toHaveStatus(422, ...(isQuery(operation) ? [400] : []));
        expect(isFields(answer.body), `whether the refusal for ${field} of ${operation} is an object`).toBe(
          true,
        );
        expect(answer.body, `the body of the refusal for ${field} of ${operation}`).toHoldSomething();
      }
    },
  ),

  ...(
    [
      ["exportUsage", "export", "exports"],
      ["listUsageFeed", "feed", "feeds"],
    ] as const
  ).map(([operation, what, feature]) =>
    check(
      "ERRO-07",
      `a filter of the ${what} that breaks its type, or is too long, is refused`,
      { feature },
      async ({ account, expect }) => {
        const window = { start_date: "2020-01-01", end_date: "2020-01-02" };
        expect(await account.ask(operation, { query: { ...window, success: "true" } })).toHaveStatus(200);
        for (const broken of [
          { success: "maybe" },
          { api_key_id: "not-a-uuid" },
          { credential_type: "c".repeat(33) },
          { oauth_client_id: "c".repeat(2049) },
        ]) {
          expect(await account.ask(operation, { query: { ...window, ...broken } })).toHaveStatus(422, 400);
        }
      },
    ),
  ),

  check(
    "ERRO-07",
    "an event_id that is not a UUID is refused with 422, or not found",
    async ({ account, expect }) => {
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await account.ask("getUsageEvent", { parameter: unknown })).toHaveFoundNothing();
      expect(await account.ask("getUsageEvent", { parameter: "not-a-uuid" })).toHaveFoundNothing();
    },
  ),

  check(
    "ERRO-07",
    "credits below 0 are refused by the feed and the export too, as a query or as a parameter",
    async ({ account, profile, expect }) => {
      const served = operationsOf(profile);
      const window = { start_date: "2020-01-01", end_date: "2020-01-02" };
      const reads = (["exportUsage", "listUsageFeed"] as const).filter((id) => served.includes(id));
      if (reads.length === 0) throw new Unverifiable("the profile declares the feed and the exports off");
      for (const operation of reads) {
        const ask = (min_credits: number) => account.ask(operation, { query: { ...window, min_credits } });
        expect(await ask(0)).toHaveStatus(200);
        expect(await ask(-1)).toHaveStatus(400, 422);
      }
    },
  ),

  check("ERRO-08", "a 422 names the parameter or the field at fault", async (stage) => {
    usable(await stage.account.discover({ query: "data", limit: 1 }));
    for (const [operation, request, field] of brokenFor(stage)) {
      const answer = await stage.account.ask(operation, request);
      if (answer.status === 400 && isQuery(operation)) continue;
      if (answer.status !== 422)
        throw new Blocked(`${operation} does not refuse a broken ${field}`, answer.exchange);
      stage.expect(answer.said.includes(field), `whether the 422 of ${operation} names ${field}`).toBe(true);
    }
  }),

  check(
    "ERRO-09",
    "a Call whose tool_id is badly formed fails, and costs nothing",
    { needs: ["tool.charged"] },
    (stage) => expectFreeFailure(stage, { tool_id: "?? not a tool id ??" }),
  ),

  check(
    "ERRO-10",
    "a Call of an unknown tool_id fails, and costs nothing",
    { needs: ["tool.charged"] },
    (stage) => expectFreeFailure(stage, { tool_id: stage.unique("no.such.tool") }),
  ),

  ...failing.map(([clause, role, title]) =>
    check(clause, title, { needs: [`tool.${role}`, "tool.charged"] }, async (stage) => {
      stage.expect(await afterSuccess(stage, role)).toHaveFailed();
    }),
  ),

  check(
    "ERRO-12",
    "a Call with the parameters of another tool fails, and says so",
    { needs: ["tool.required_parameter"] },
    async (stage) => {
      const required = await requiredOf(stage);
      const others = Object.values(stage.profile.tools).map(({ parameters }) => parameters ?? {});
      const foreign = others.find((parameters) => !required.every((name) => name in parameters));
      if (foreign === undefined) throw new Unverifiable("all tools take the same parameters");
      const parameters = { ...foreign, no_parameter_of_this_tool: 1 };
      const { account, expect, tool } = stage;
      await account.succeed(tool("required_parameter"));
      expect(await account.call(tool("required_parameter"), { parameters })).toHaveFailed();
    },
  ),

  ...(["provider_error", "provider_http_error"] as const).map((role) =>
    check(
      "ERRO-16",
      `a Call that fails with ${role.replaceAll("_", " ")} says so and names its execution`,
      { needs: [`tool.${role}`, "tool.charged"] },
      async (stage) => {
        const call = await afterSuccess(stage, role);
        stage.expect(call).toHaveFailed();
        stage.expect(call.at("execution_id")).toBeA("string");
        stage.expect(call.at("execution_id")).toHoldSomething();
      },
    ),
  ),
];

/** The conditions that the contract lists for 400 and that both queries share. */
const invalid: readonly Query[] = [
  { start_date: "yesterday" },
  { end_date: "2026-13-45" },
  { start_date: "2026-02-30" },
  { start_date: "2026-02-01x" },
  { end_date: "2026-02-01T25:00:00Z" },
  { end_date: "2026-02-01T24:30:00Z" },
  { start_date: "2026-02-01T10:60:00Z" },
  { summary: true, bucket: "fortnight" },
  { min_credits: 10, max_credits: 9 },
  { min_credits: 1.5, max_credits: 1.25 },
  { min_credits: -1 },
  { max_credits: -0.5 },
];

const valid: readonly Query[] = [
  { start_date: "2024-02-29", end_date: "2024-03-31T12:00:00.500+01:00", summary: true, bucket: "day" },
  { min_credits: 9.5, max_credits: 10 },
  { min_credits: 5, max_credits: 5 },
];

type Broken = readonly [OperationId, Ask, field: string];

/** Requests that violate the type or stated range of exactly one parameter or field, the one named. */
const broken: readonly Broken[] = [
  ["discover", { body: { query: "data", limit: "many" } }, "limit"],
  ["discover", { body: { query: "data", limit: 1, session_id: { a: 1 } } }, "session_id"],
  ["inspect", { body: { tool_ids: "one" } }, "tool_ids"],
  ["listUsage", { query: { page: "first" } }, "page"],
  ["listUsage", { query: { page: 0 } }, "page"],
  ["listLedger", { query: { page_size: "all" } }, "page_size"],
  ["listLedger", { query: { page_size: 501 } }, "page_size"],
  ["listUsageFeed", { query: { page_size: 501 } }, "page_size"],
  ["listSettlements", { query: { page_size: 0 } }, "page_size"],
  ["registerAnonymous", { body: { agent_name: { first: "A" } } }, "agent_name"],
];

/** Operations that read the audit or ledger by a query: 400 and 422 refuse an invalid one. */
const isQuery = (operation: OperationId): boolean => operations[operation].method === "GET";

/** Uses the profile's tool or capability, since an unknown one could be reported first. */
function brokenFor({ profile }: Stage): Broken[] {
  const served = operationsOf(profile);
  const { charged } = profile.tools;
  const { query } = profile.capabilities;
  const known: Broken[] = [];
  if (charged) known.push(["call", { body: { tool_id: charged.id, parameters: "none" } }, "parameters"]);
  if (query) {
    const body = { capability_id: query.id, parameters: query.parameters ?? {}, max_credits: "many" };
    known.push(["queryCapability", { body }, "max_credits"]);
  }
  return [...broken, ...known].filter(([operation]) => served.includes(operation));
}

/** A successful Call as a baseline, then the Call of a tool by its role. */
async function afterSuccess(stage: Stage, role: Role) {
  await stage.account.succeed(stage.tool("charged"));
  return stage.account.call(stage.tool(role));
}

/** Calls tools that cannot be called: each fails with a message and costs nothing. */
async function expectFreeFailure(stage: Stage, body: Record<string, unknown>): Promise<void> {
  const { account, tool, expect } = stage;
  await account.succeed(tool("charged"));
  await account.settled();
  const before = await account.credits();
  expect(await account.call(tool("charged"), body)).toHaveFailed();
  await account.settled();
  expect(await account.credits(), "the credits after the Call").toBeCredits(before);
}

/** The parameters that the role's tool requires. @throws Unverifiable when it requires none */
async function requiredOf({ account, tool }: Stage): Promise<string[]> {
  const [contract] = await account.contracts([tool("required_parameter").id]);
  const required = (contract?.at("params").items ?? []).filter(
    (param) => param.at("required").value === true,
  );
  if (required.length === 0) throw new Unverifiable(`${tool("required_parameter").id} requires no parameter`);
  return required.map((param) => param.at("name").string);
}
