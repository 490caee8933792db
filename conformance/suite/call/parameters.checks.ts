import { check, type Stage } from "../../run/check.ts";
import { missingFrom, oneOfFields, oneOfGroups } from "../../judge/params.ts";
import { isFields } from "../../judge/seen.ts";
import type { Account } from "../../server/account.ts";
import { usable } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import type { Role, Use } from "../../server/profile.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { fallOf } from "../balance.ts";
import { definitionsOf, shownBy, spoiled, without, type Fault, type FaultKind } from "./faults.ts";

/** A kind of violation, and the role of a tool that shows it. */
const faults = {
  missing: "required_parameter",
  mistyped: "required_parameter",
  outside: "enum",
} as const satisfies Record<FaultKind, Role>;

export const checks = [
  ...(
    [
      ["CALL-28", "without a required parameter", "missing"],
      ["CALL-29", "with a value outside its enum", "outside"],
      ["CALL-30", "with a parameter of the wrong type", "mistyped"],
    ] as const
  ).map(([clause, what, fault]) =>
    check(
      clause,
      `a Call ${what} is refused with 422`,
      { needs: [`tool.${faults[fault]}`] },
      async (stage) => {
        for (const { use, parameters } of await spoiledCalls(stage, fault)) {
          stage.expect(await stage.account.call(use, { parameters })).toHaveStatus(422);
        }
      },
    ),
  ),

  check(
    "CALL-31",
    "a Call with no field of a one-of group is refused with 422",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const use = tool("one_of");
      const control = await account.call(use);
      if (control.status === 422)
        throw new Blocked(`the parameters of ${use.id} are refused as they are`, control.exchange);
      const fields = oneOfFields(await paramsOf(account, use));
      if (fields.length === 0) throw new Unverifiable(`${use.id} shows no one-of group`);
      const parameters = without(use.parameters, ...fields);
      expect(await account.call(use, { parameters })).toHaveStatus(422);
    },
  ),

  check(
    "CALL-32",
    "a Call with exactly one field of a one-of group is accepted",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const use = tool("one_of");
      const params = await paramsOf(account, use);
      const [group = []] = oneOfGroups(params);
      const tries = group
        .filter((name) => Object.hasOwn(use.parameters, name))
        .map((kept) => without(use.parameters, ...group.filter((name) => name !== kept)))
        .filter((parameters) => missingFrom(parameters, params) === null);
      if (tries.length === 0)
        throw new Unverifiable(`the parameters of ${use.id} hold no recognizable field of a one-of group`);
      const statuses: number[] = [];
      for (const parameters of tries) statuses.push((await account.call(use, { parameters })).status);
      expect(statuses, "the statuses of Calls with one field of the group each").toSatisfy(
        "not to be 422 alone",
        () => statuses.some((status) => status !== 422),
      );
    },
  ),

  check(
    ["CALL-32", "PROB-09"],
    "several fields of a one-of group are accepted",
    { needs: ["tool.one_of"] },
    async ({ account, tool, expect }) => {
      const use = tool("one_of");
      const shown = await shownBy(account, use.id);
      const groups = oneOfGroups(shown?.at("params").value);
      const parameters = [use.parameters, shown?.at("examples.sample_parameters").value].find(
        (given) =>
          isFields(given) &&
          groups.some((names) => names.filter((name) => Object.hasOwn(given, name)).length > 1),
      ) as Record<string, unknown> | undefined;
      if (parameters === undefined) {
        throw new Unverifiable(
          `no parameters are known that give ${use.id} several fields of a one-of group`,
          "tools: {one_of: {id: TOOL_ID, parameters: {ONE_FIELD: VALUE, ANOTHER: VALUE}}}",
        );
      }
      const probed = usable(await account.probe(use.id, { parameters, checks: ["schema"] }));
      expect(probed.at("schema.valid")).toBe(true);
      const { status } = await account.call(use, { parameters });
      expect(status, "the status of a Call with several fields of a one-of group").not(422);
    },
  ),

  check(
    "CALL-33",
    "the 422 says that the projection is wrong",
    { needs: ["tool.charged"], feature: "projection" },
    async ({ account, tool, expect }) => {
      await account.succeed(tool("charged"));
      const refused = await account.call(tool("charged"), { respond_with: "fields:$[" });
      expect(refused).toHaveStatus(422);
      const names = /respond_with|projection|json ?path|\$\[/i.test(refused.said);
      expect(names, "whether the answer names the projection").toBe(true);
    },
  ),

  check(
    "ERRO-08",
    "the 422 of a Call has field-level details as well as the message",
    { needs: ["tool.required_parameter"] },
    async (stage) => {
      const { account, profile, expect } = stage;
      const { name, use, parameters } = await spoiledCall(stage, "missing");
      const broken: [field: string, body: Record<string, unknown>][] = [
        ["model", { model: " " }],
        ["max_response_size", { max_response_size: "much" }],
        ["parameters", { parameters: "none" }],
        [name, { parameters }],
      ];
      if (profile.features.projection === undefined) {
        broken.push(["respond_with", { respond_with: "fields:" }]);
      }
      for (const [field, more] of broken) {
        const refused = await account.call(use, more);
        if (refused.status !== 422) {
          throw new Blocked(`a Call with a broken ${field} is not refused with 422`, refused.exchange);
        }
        expect(withoutMessage(refused).includes(field), `whether the details name ${field}`).toBe(true);
      }
    },
  ),

  ...(
    [
      ["is missing", "missing"],
      ["is of the wrong type", "mistyped"],
      ["is outside its enum", "outside"],
    ] as const
  ).map(([what, fault]) =>
    check(
      "CALL-33",
      `the 422 names the parameter that ${what}`,
      { needs: [`tool.${faults[fault]}`] },
      async (stage) => {
        const { name, use, parameters } = await spoiledCall(stage, fault);
        const refused = await stage.account.call(use, { parameters });
        stage.expect(refused).toHaveStatus(422);
        stage.expect(refused.said.includes(name), `whether the answer names ${name}`).toBe(true);
      },
    ),
  ),

  check(
    "CALL-34",
    "a Call that is refused for its parameters costs nothing",
    { needs: ["tool.required_parameter"], credits: 6 },
    async (stage) => {
      const { account, expect } = stage;
      const faulty = [await spoiledCall(stage, "missing"), ...(await refusedOtherwise(stage))];
      const fall = await fallOf(account, async () => {
        for (const { use, parameters } of faulty)
          expect(await account.call(use, { parameters })).toHaveStatus(422);
      });
      expect(fall, "credits consumed").toBeCredits(0);
    },
  ),
];

const paramsOf = async (account: Account, use: Required<Use>): Promise<unknown[]> =>
  (await definitionsOf(account, use.id)).map(({ value }) => value);

/** Calls tools with valid parameters, which must succeed; returns how to call them with invalid ones. */
async function spoiledCalls(
  stage: Stage,
  kind: FaultKind,
  roles?: readonly Role[],
): Promise<({ use: Required<Use> } & Fault)[]> {
  const tools = await spoiled(stage, kind, roles);
  for (const { use } of tools) await stage.account.succeed(use);
  return tools.flatMap((tool) => tool.faults.map((fault) => ({ use: tool.use, ...fault })));
}

/** An answer without its messages, as text. */
function withoutMessage({ body }: Answer): string {
  if (!isFields(body)) return "";
  const { error_message: _message, message: _other, ...rest } = body;
  return JSON.stringify(rest);
}

/** The first violation, on the tool of its own role. */
const spoiledCall = async (stage: Stage, kind: FaultKind) =>
  (await spoiledCalls(stage, kind, [faults[kind]]))[0]!;

/** A violation of each of the other kinds, where the run's tools allow for one and the server refuses it. */
async function refusedOtherwise(stage: Stage): Promise<({ use: Required<Use> } & Fault)[]> {
  const refused = [];
  for (const kind of ["mistyped", "outside"] as const) {
    const [tool] = await spoiled(stage, kind, ["required_parameter", "enum"]).catch((error: unknown) => {
      if (error instanceof Unverifiable) return [];
      throw error;
    });
    if (tool === undefined) continue;
    const fault = { use: tool.use, ...tool.faults[0]! };
    const { status } = await stage.account.call(fault.use, { parameters: fault.parameters });
    if (status === 422) refused.push(fault);
  }
  return refused;
}
