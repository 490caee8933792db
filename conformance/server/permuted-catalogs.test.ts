import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "../proof/stage.ts";
import { Client } from "./client.ts";
import { permutedCatalog } from "./permuted-catalog.fixture.ts";
import { defaultProfile, type Profile, type Role } from "./profile.ts";
import { scout } from "./scout.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Stranger } from "./account.ts";
import { findTools, listTools } from "./tools.ts";
import { registerTrial } from "./trials.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const roles: readonly Role[] = [
  "charged",
  "included",
  "discounted",
  "policy_exempt",
  "partial_success",
  "failed_charged",
  "provider_error",
];

/** What a run with the address alone knows of a server, before its first check. */
async function foundAt(url: string): Promise<Pick<Profile, "tools" | "credentials">> {
  const profile = defaultProfile(url);
  const secrets = new Secrets();
  const client = new Client(url, secrets);
  const session = new Session(client, secrets);
  const { account } = await registerTrial(new Stranger(session, profile));
  const contracts = await listTools(account, profile);
  profile.tools = await findTools(account, profile, contracts);
  const { tools, credentials } = await scout(session, profile, contracts);
  client.close();
  return { tools, credentials: { pool: [], ...credentials } };
}

// Whole runs, with 30 seeds: permuted-catalogs.proof.ts.
it("finds what tools show in a catalogue of any order and any prices", async () => {
  const { tools, credentials } = await stage.perform(permutedCatalog(26), ({ base_url: url }) =>
    foundAt(url),
  );
  const missing = roles.filter((role) => tools[role] === undefined);
  expect({ missing, exhausted: credentials.exhausted !== undefined }).toEqual({
    missing: [],
    exhausted: true,
  });
});
