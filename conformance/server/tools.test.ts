import { expect, it } from "vitest";
import { Account } from "./account.ts";
import { Client } from "./client.ts";
import { defaultProfile } from "./profile.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { findTools } from "./tools.ts";

it("names no role for which a server has no tool", async () => {
  const profile = defaultProfile("http://127.0.0.1:9/api/v1");
  const secrets = new Secrets();
  const session = new Session(new Client(profile.base_url, secrets), secrets);
  const found = await findTools(new Account(session, profile, "key", "account"), profile, new Map());
  expect(found).toStrictEqual({});
});
