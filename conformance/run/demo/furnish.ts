import { join } from "node:path";
import { loadCatalog, sampleFolder } from "../../../reference-server/catalog/load.ts";
import { sampleCapabilities, sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { micro } from "../../../reference-server/billing/money.ts";
import type { Config } from "../../../reference-server/config.ts";
import { createTrial, mintJwt } from "../../../reference-server/operator/commands.ts";
import { openDataFolder } from "../../../reference-server/parts-default.ts";
import type { Account } from "../../../reference-server/parts.ts";
import { defaultProfile, type Profile } from "../../server/profile.ts";
import { eventsOfEveryKind } from "./every-kind.ts";

const day = 86_400_000;
/** The days between two events of every kind: they fall on several days, and in fewer weeks. */
const eventsApartDays = 0.2;

/** Enough accounts that no check waits for another. */
const poolSize = 40;

/**
 * The past balance changes of a demo account, in days ago and credits: types inside and outside `account_history`, the
 * same amount with both signs, one (2.05) that is not a whole number of millionths in floating-point arithmetic, more
 * entries than a summary samples, spread over weeks, days and hours. The remaining balance is enough for every check.
 */
const past = [
  [40, "grant_payment_recharge", 10_000],
  [21, "grant_invitation_reward", 5],
  [20.9, "consume_payment_refund", -5],
  [15, "grant_invitation_reward", 2.05],
  [12, "grant_welcome_bonus", 50],
  [9, "grant_payment_recharge", 20],
  [5, "grant_invitation_reward", 0.75],
  [4, "grant_invitation_reward", 0.1],
  [3.5, "grant_payment_recharge", 100],
  [2.5, "consume_payment_refund", -3],
  [2, "grant_invitation_reward", 1],
  [1.2, "grant_invitation_reward", 12.25],
  [0.5, "grant_invitation_reward", 3],
] as const;

/** More events of one account than any server reads for a page. */
const manyEvents = 600;

/**
 * Fills an empty data folder with all that a profile can name: accounts with credits, one without, a revoked key, an
 * expired trial, tokens. Returns the profile of the server that will use the folder, without its address.
 */
export async function furnish(config: Config): Promise<Profile> {
  const folder = await openDataFolder(config);
  const { accounts, tokens, storage, clock } = folder;
  try {
    const open = async (name: string, email: string | null = null) => {
      const account = await accounts.create({ name, email });
      return { ...account, key: (await accounts.addKey(account.id, "first key")).apiKey };
    };
    const owner = await open("owner", "owner@example.com");
    const pool = await Promise.all(Array.from({ length: poolSize }, (_, index) => open(`pool ${index}`)));
    const everyKind = await open("every kind");
    await live(config, clock.now(), [owner, ...pool], everyKind);
    const revoked = await accounts.addKey(owner.id, "revoked key");
    await accounts.revokeKey(revoked.id);
    const expiredTrial = await createTrial({ name: "expired trial", ageMs: 8 * day }, folder);
    const expiredJwt = await mintJwt({ account: owner.id, ageMs: 8 * day, lifetimeMs: day }, folder);
    const delegation = {
      runId: "run-demo",
      providerId: providerOf(sampleCapabilities.detail.id),
      maxCredits: null,
    };
    const bare = defaultProfile("");
    return {
      ...bare,
      credentials: {
        account: owner.key,
        second_key_of_account: (await accounts.addKey(owner.id, "second key")).apiKey,
        pool: pool.map(({ key }) => key),
        every_kind: everyKind.key,
        exhausted: (await open("exhausted")).key,
        expired_trial: expiredTrial.api_key,
        revoked: revoked.apiKey,
        jwt: await tokens.sign({ accountId: owner.id, lifetimeMs: day }),
        expired_jwt: expiredJwt.token,
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
      emails: {
        free: "claim-*@example.com",
        formal: "owner@example.com",
        blocked_domain: config.blockedEmailDomains[0]!,
      },
      limits: { ...config.quotas, window: config.windowSeconds },
      mail_lag: 5,
    };
  } finally {
    await storage.close();
  }
}

/**
 * Gives accounts their history, entry by entry, each at its time; the first gets many events, and one gets events of
 * every kind.
 */
async function live(
  config: Config,
  now: number,
  accounts: readonly Account[],
  everyKind: Account,
): Promise<void> {
  let time = now;
  const { books, storage } = await openDataFolder(config, { clock: { now: () => time } });
  try {
    const moveAll = (entryType: (typeof past)[number][1], amount: number) =>
      Promise.all(
        [...accounts, everyKind].map(({ id: accountId }) =>
          books.move({ accountId, entryType, amount: micro(amount), description: entryType }),
        ),
      );
    const free = eventsOfEveryKind(accounts[0]!).find((event) => event.charge_outcome === "included")!;
    const events = eventsOfEveryKind(everyKind);
    const deeds: { daysAgo: number; act: () => Promise<unknown> }[] = [
      ...past.map(([daysAgo, entryType, amount]) => ({ daysAgo, act: () => moveAll(entryType, amount) })),
      { daysAgo: 25, act: () => Promise.all(Array.from({ length: manyEvents }, () => books.record(free))) },
      ...events.map((event, index) => ({
        daysAgo: (events.length - index) * eventsApartDays,
        act: () => books.record(event),
      })),
    ];
    for (const { daysAgo, act } of deeds.sort((one, other) => other.daysAgo - one.daysAgo)) {
      time = now - daysAgo * day;
      await act();
    }
  } finally {
    await storage.close();
  }
}

/** The provider in the demo's delegation token: that of the capability. */
function providerOf(capabilityId: string): string {
  const capability = loadCatalog(sampleFolder, { providerBaseUrl: "http://127.0.0.1:9" }).capability(
    capabilityId,
  );
  if (capability === undefined)
    throw new RangeError(`the sample catalogue has no capability ${capabilityId}`);
  return capability.provider_id;
}
