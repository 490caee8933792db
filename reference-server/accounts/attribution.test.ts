import { afterAll, beforeAll, expect, it } from "vitest";
import { startAttacked, type Attacked } from "../attacks/attacked.fixture.ts";

let server: Attacked;
let accountId: string;

beforeAll(async () => {
  server = await startAttacked();
  accountId = (await server.parts.accounts.create({ name: "x", email: null })).id;
  await server.parts.books.move({
    accountId,
    entryType: "grant_payment_recharge",
    amount: 10_000_000,
    description: "for tests",
  });
});
afterAll(() => server.stop());

it("attributes each event to its key, its OAuth client and the kind of its credential, and finds it by them", async () => {
  const { accounts, tokens } = server.parts;
  const [first, second] = [
    await accounts.addKey(accountId, "first"),
    await accounts.addKey(accountId, "second"),
  ];
  const sign = (more: object) => tokens.sign({ accountId, lifetimeMs: 60_000, ...more });
  const delegation = { runId: "run", providerId: "ticker-house", maxCredits: null };
  const search = (token: string) => server.ask("POST", "/search", { token, body: { query: "weather" } });
  for (const token of [first.apiKey, second.apiKey, await sign({}), await sign({ oauthClientId: "desk" })]) {
    expect((await search(token)).status).toBe(200);
  }
  const delegated = await server.ask("POST", "/capabilities/query", {
    token: await sign({ delegation }),
    body: {
      capability_id: "market.quote",
      parameters: { symbol: "ACME" },
      max_credits: 10,
      run_id: "run",
      provider_id: "ticker-house",
    },
  });
  expect(delegated.status).toBe(200);

  const events = async (filter: string) => {
    const { body } = await server.ask("GET", `/auth/usage/history/v2?${filter}`, { token: first.apiKey });
    const { items } = body["data"] as { items: Record<string, unknown>[] };
    return items
      .reverse()
      .map((event) => [
        event["credential_type"],
        (event["api_key"] as { id: string } | null)?.id ?? null,
        event["oauth_client_id"],
      ]);
  };
  const expected = [
    ["api_key", first.id, null],
    ["api_key", second.id, null],
    ["jwt", null, null],
    ["oauth", null, "desk"],
    ["delegation", null, null],
  ];
  expect(await events("include_details=true")).toEqual(expected);
  expect(await events("oauth_client_id=desk")).toEqual([expected[3]]);
  expect(await events(`api_key_id=${second.id}`)).toEqual([expected[1]]);
  expect(await events("credential_type=delegation")).toEqual([expected[4]]);
});
