import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { Client } from "../server/client.ts";
import { defaultProfile } from "../server/profile.ts";
import { AccountLeases } from "../server/account-leases.ts";
import { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import { check } from "./check.ts";
import { perform } from "./perform.ts";

it("lends the first account, and no other, to a check that spends with another of its credentials", async () => {
  const profile = defaultProfile("http://127.0.0.1:1/api/v1");
  const delegation = { token: "token-of-the-account", run_id: "run", provider_id: "provider" };
  profile.credentials = { account: "key-of-the-account", pool: ["key-of-the-pool"], delegation };
  const secrets = new Secrets();
  const [leases, client] = [new AccountLeases(profile), new Client(profile.base_url, secrets)];
  const others = {
    mailbox: null,
    recognised: new WeakSet(),
    broken: new Map(),
    openToTrials: new Set(),
  } as const;
  const context = { profile, leases, client, secrets, ...others };
  const held = await leases.lend(new Session(client, secrets), { fresh: false, credits: 5, owner: false });
  const keys = [held.account.key];
  const spending = check("CAPA-15", "spends", { needs: ["delegation"] }, ({ account }) => {
    keys.push(account.key);
    return Promise.resolve();
  });
  const performed = perform(spending, context as never);
  held.giveBack();
  await performed;
  expect(keys).toEqual(["key-of-the-account", "key-of-the-account"]);
});

it.each([
  [1, "pass"],
  [2, "blocked"],
])("performs a check once more that a provider's failure stopped; of %i: %s", async (failures, verdict) => {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    calls += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ execution_id: `e${calls}`, success: calls > failures, cost: 0 }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const profile = defaultProfile(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
    profile.credentials = { account: "key-of-the-account", pool: [] };
    const secrets = new Secrets();
    const context = {
      profile,
      secrets,
      leases: new AccountLeases(profile),
      client: new Client(profile.base_url, secrets),
      mailbox: null,
      recognised: { has: () => true },
      broken: new Map(),
      openToTrials: new Set(),
      lastActs: new Map(),
      isLagDeclared: true,
    };
    const building = check("CALL-05", "builds on a Call", async ({ account, expect }) => {
      const call = await account.succeed({ id: "tool", parameters: {} });
      expect(call.at("success")).toBe(true);
    });
    expect(await perform(building, context as never)).toMatchObject({ verdict });
    expect(calls).toBe(2);
  } finally {
    server.close();
  }
});
