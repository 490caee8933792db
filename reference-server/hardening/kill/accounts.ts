import { readAccount } from "../../account-reading.fixture.ts";
import { micro } from "../../billing/money.ts";
import type { Config } from "../../config.ts";
import { openDataFolder } from "../../parts-default.ts";
import { unlimitedQuotas } from "../../unlimited.fixture.ts";
import type { Driven } from "./drive.ts";
import { brokenPromises } from "./promises.ts";

/** The number of accounts driven at the same time. */
const accounts = 3;

/** The credits granted to each account. */
export const granted = 1_000_000;

/** The number of rounds that use the same accounts; after each their whole history is read. */
export const roundsOfAccounts = 10;

/** The result of reading the accounts. */
export interface Held {
  /** Calls that a sweep voided, or that could not be settled. */
  voided: number;
  broken: string[];
}

/** Quotas are high enough not to interfere; the log holds only what ends a process. */
export const killConfig = (config: Config): Config => ({
  ...config,
  port: 0,
  logLevel: "fatal",
  quotas: unlimitedQuotas,
});

/** Opens accounts with credits on the database of a configuration and returns one key of each. */
export async function openAccounts(config: Config): Promise<string[]> {
  const folder = await openDataFolder(config);
  try {
    const keys: string[] = [];
    for (let index = 0; index < accounts; index += 1) {
      const { id } = await folder.accounts.create({ name: `driven ${index}`, email: null });
      await folder.books.move({
        accountId: id,
        entryType: "grant_payment_recharge",
        amount: micro(granted),
        description: "kill test",
      });
      keys.push((await folder.accounts.addKey(id, "driven")).apiKey);
    }
    return keys;
  } finally {
    await folder.storage.close();
  }
}

/** Reads accounts through the public API and compares them with every call ever made with their keys. */
export async function holdAgainst(
  baseUrl: string,
  keys: readonly string[],
  driven: readonly Driven[],
): Promise<Held> {
  const held: Held = { voided: 0, broken: [] };
  for (const key of keys) {
    const reading = await readAccount(baseUrl, key);
    const mine = driven.filter((call) => call.key === key);
    held.broken.push(...brokenPromises(reading, mine, granted));
    const unanswered = new Set(mine.flatMap(({ answer, session }) => (answer === null ? [session] : [])));
    held.voided += reading.events.filter(
      (event) =>
        unanswered.has(event.session_id ?? "") &&
        event.response_payload_summary === undefined &&
        event.reason_code === "transport.execution_failed",
    ).length;
  }
  return held;
}
