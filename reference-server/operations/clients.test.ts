import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import { sampleTools } from "../catalog/sample-roles.ts";

/* The requirements of existing clients' models on answers, where the contract leaves them open. */

const { charged, expensive } = sampleTools;
let server: Attacked;
let token: string;

beforeAll(async () => {
  server = await startAttacked();
  token = (await server.trial()).key;
});
afterAll(() => server.stop());

const call = (body: unknown) => server.ask("POST", "/tools/execute", { body, token });

const refusals: [what: string, status: number, body: unknown, message: RegExp][] = [
  ["insufficient credits", 402, { tool_id: expensive.id, parameters: expensive.parameters }, /credits/],
  ["no tool", 422, { parameters: {} }, /tool_id/],
  ["no parameters", 422, { tool_id: charged.id }, /parameters/],
  ["a body that is not JSON", 422, "{", /JSON/],
  [
    "a size of 0",
    422,
    { tool_id: charged.id, parameters: charged.parameters, max_response_size: 0 },
    /max_response_size must be a number of bytes of at least 1, or -1 for no limit/,
  ],
];

describe("a Call that is refused", () => {
  it.each(refusals)(
    "for %s has an execution id, which the audit does not know",
    async (_, status, body, message) => {
      const answer = await call(body);
      expect(answer).toMatchObject({
        status,
        body: { execution_id: expect.stringMatching(/^exec_/), success: false, result: null },
      });
      expect(answer.body["error_message"]).toMatch(message);
      const path = `/auth/usage/history/v2?execution_id=${String(answer.body["execution_id"])}`;
      expect((await server.ask("GET", path, { token })).body).toMatchObject({ data: { total: 0 } });
    },
  );
});

it("a tool's success rate leaves out the mistakes of callers", async () => {
  const statsOf = async () => {
    const { body } = await server.ask("POST", "/tools/by-ids", { body: { tool_ids: [charged.id] }, token });
    return (body["results"] as { stats?: object }[])[0]?.stats;
  };
  expect((await call({ tool_id: charged.id, parameters: {} })).status).toBe(422);
  expect(await statsOf()).toBeUndefined();
  expect((await call({ tool_id: charged.id, parameters: charged.parameters })).status).toBe(200);
  expect((await call({ tool_id: charged.id, parameters: { town: "Bern" } })).status).toBe(422);
  expect(await statsOf()).toMatchObject({ success_rate: 1 });
});

it("a quote has no detail that is a text", async () => {
  const body = { checks: ["quote"] };
  const probed = await server.ask("POST", `/tools/probe?tool_id=${charged.id}`, { body, token });
  expect(probed.status).toBe(200);
  expect(typeof (probed.body["quote"] as { detail?: unknown }).detail).not.toBe("string");
});
