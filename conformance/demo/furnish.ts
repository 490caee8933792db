import { join } from "node:path";
import { loadCatalog, sampleFolder } from "../../reference-server/catalog/load.ts";
import { sampleCapabilities, sampleTools } from "../../reference-server/catalog/sample-roles.ts";
import { micro } from "../../reference-server/billing/money.ts";
import type { Config } from "../../reference-server/config.ts";
import { openDataFolder } from "../../reference-server/parts-default.ts";
import { defaultProfile, type Profile } from "../target/profile.ts";

const day = 86_400_000;

/** Accounts enough that no check waits for another. */
const poolSize = 24;

/** What an account of the demo owns: enough for every check, in credits. */
const wealth = 10_000;

/**
 * Puts into an empty data folder what a profile can name: accounts with credits, one without, a revoked key, an expired
 * trial, tokens. Answers the profile of the server that will run on the folder, but for its address.
 */
export async function furnish(config: Config): Promise<Profile> {
  const { accounts, books, tokens, storage, clock } = await openDataFolder(config);
  try {
    const open = async (name: string, amount: number, email: string | null = null) => {
      const { id } = await accounts.create({ name, email });
      if (amount > 0) {
        await books.move({
          accountId: id,
          entryType: "grant_payment_recharge",
          amount: micro(amount),
          description: "recharge",
        });
      }
      return { id, key: (await accounts.addKey(id, "first key")).apiKey };
    };
    const owner = await open("owner", wealth, "owner@example.com");
    const pool = await Promise.all(
      Array.from({ length: poolSize }, (_, index) => open(`pool ${index}`, wealth)),
    );
    const revoked = await accounts.addKey(owner.id, "revoked key");
    await accounts.revokeKey(revoked.id);
    const eightDaysAgo = { now: () => clock.now() - 8 * day };
    const past = await openDataFolder(config, { clock: eightDaysAgo });
    const expiredTrial = await past.accounts.registerTrial("expired trial");
    const expiredJwt = await past.tokens.sign({ accountId: owner.id, lifetimeMs: day });
    await past.storage.close();
    const delegation = {
      runId: "run-demo",
      providerId: providerOf(sampleCapabilities.detail.id),
      maxCredits: null,
    };
    return {
      ...defaultProfile(""),
      credentials: {
        account: owner.key,
        second_key_of_account: (await accounts.addKey(owner.id, "second key")).apiKey,
        pool: pool.map(({ key }) => key),
        exhausted: (await open("exhausted", 0)).key,
        expired_trial: expiredTrial.apiKey,
        revoked: revoked.apiKey,
        jwt: await tokens.sign({ accountId: owner.id, lifetimeMs: day }),
        expired_jwt: expiredJwt,
        delegation: {
          token: await tokens.sign({ accountId: owner.id, lifetimeMs: day, delegation }),
          run_id: delegation.runId,
          provider_id: delegation.providerId,
        },
      },
      tools: structuredClone(sampleTools) as unknown as Profile["tools"],
      capabilities: structuredClone(sampleCapabilities) as unknown as Profile["capabilities"],
      mailbox: { directory: join(config.dataFolder, "outbox") },
      object_storage: { ca: join(config.dataFolder, "results", "ca.pem") },
      emails: { formal: "owner@example.com", blocked_domain: config.blockedEmailDomains[0]! },
    };
  } finally {
    await storage.close();
  }
}

/** The provider that a delegation token of the demo names: the capability's own. */
function providerOf(capabilityId: string): string {
  const capability = loadCatalog(sampleFolder, { providerBaseUrl: "http://127.0.0.1:9" }).capability(
    capabilityId,
  );
  if (capability === undefined)
    throw new RangeError(`the sample catalogue has no capability ${capabilityId}`);
  return capability.provider_id;
}
