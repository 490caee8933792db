import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";
import type { Capability } from "../catalog/tool.ts";
import type { Execution } from "../parts.ts";
import { worked } from "./worked.fixture.ts";

const failed = (reason: Execution["reason"]): Execution => ({
  ...worked,
  reason,
  success: false,
  data: undefined,
  statusCode: null,
  message: "It failed.",
});

let server: Attacked;
let key: string;
/** The provider's behaviour for the next execution. */
let execute: () => Execution;
/** A capability's catalogue entry, where it differs from the sample catalogue. */
let published: (original: Capability) => Capability;

beforeAll(async () => {
  server = await startAttacked((parts) => ({
    ...parts,
    providers: { execute: () => Promise.resolve(execute()) },
    catalog: {
      ...parts.catalog,
      find: (id) => parts.catalog.find(id),
      capability: (id) => {
        const original = parts.catalog.capability(id);
        return original && published(original);
      },
    },
  }));
});
afterAll(() => server.stop());

beforeEach(async () => {
  execute = () => worked;
  published = (original) => original;
  key = (await server.trial()).key;
});

const query = (body: Record<string, unknown>) =>
  server.ask("POST", "/capabilities/query", {
    token: key,
    body: { capability_id: "market.quote", parameters: { symbol: "ACME" }, max_credits: 10, ...body },
  });

const remaining = async (): Promise<unknown> =>
  (await server.ask("GET", "/capabilities/market.quote", { token: key })).body.remaining_credits;

describe("a capability query", () => {
  it("runs the best candidate within the budget, and a cheaper one within a smaller", async () => {
    const dear = await query({});
    const cheap = await query({ max_credits: 0.5 });
    expect([dear.status, cheap.status]).toEqual([200, 200]);
    expect(Number(cheap.body.credits_used)).toBeLessThan(Number(dear.body.credits_used));
    expect(Number(cheap.body.credits_used)).toBeLessThanOrEqual(0.5);
  });

  it("answers 422 when nothing fits, 404 for an unknown capability, 402 beyond the balance", async () => {
    expect((await query({ max_credits: 0.000001 })).status).toBe(422);
    expect((await query({ capability_id: "market.none" })).status).toBe(404);
    expect((await query({ capability_id: "market.research", max_credits: 1000 })).status).toBe(402);
    expect(await remaining()).toBe(50);
  });

  it.each([
    ["transport.timeout", 408],
    ["transport.execution_failed", 500],
  ] as const)("answers %s with %i, and charges nothing", async (reason, status) => {
    execute = () => failed(reason);
    const answer = await query({});
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status: "failure", message: expect.any(String) as string });
    expect(await remaining()).toBe(50);
  });

  it("answers 503 when none of its candidates is available", async () => {
    published = (original) => ({ ...original, candidates: ["company.ownership.v1"] });
    expect((await query({})).status).toBe(503);
    expect(await remaining()).toBe(50);
  });

  it("names the contract that was executed, when a new version is published meanwhile", async () => {
    const before = (await server.ask("GET", "/capabilities/market.quote", { token: key })).body;
    execute = () => {
      published = (original) => ({ ...original, contract_version: 99, schema_hash: "f".repeat(64) });
      return worked;
    };
    const answer = await query({});
    const { contract_version: version, schema_hash: hash } = before;
    expect(answer.body).toMatchObject({ contract_version: version, schema_hash: hash });
    expect((await server.ask("GET", "/capabilities/market.quote", { token: key })).body).toMatchObject({
      contract_version: 99,
    });
  });
});
