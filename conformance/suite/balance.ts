import type { EntryType } from "../../generated/contract.ts";
import { sumOf } from "../judge/credits.ts";
import type { Located } from "../judge/answer.ts";
import { amountOf } from "../judge/rows.ts";
import type { Account } from "../subject/account.ts";
import { idOf } from "../subject/lists.ts";

/** More ledger entries than any check causes. */
const mostEntries = 200;

/** The newest ledger entries of an account. @throws Blocked when they cannot be read */
export const newestEntries = (account: Account): Promise<Located[]> =>
  account.entries({ page_size: mostEntries });

/** The rows that were not there before. */
export function added(after: readonly Located[], before: readonly Located[]): Located[] {
  const known = new Set(before.map(idOf));
  return after.filter((row) => !known.has(idOf(row)));
}

/** Rewards, of which the contract does not say when they come. A recharge is a payment, and no check pays. */
const rewards: readonly unknown[] = ["grant_welcome_bonus", "grant_invitation_reward"] satisfies EntryType[];

/** The credits that entries grant as rewards. */
export const grantedBy = (entries: readonly Located[]): number =>
  sumOf(
    entries
      .filter((entry) => rewards.includes(entry.at("entry_type").value))
      .map((entry) => amountOf(entry) ?? 0),
  );

/**
 * Begins to watch what an account is granted; returns a function that reads how many credits it was granted since. Where
 * the ledger cannot be read, none are seen.
 */
export async function watchGrants(account: Account): Promise<() => Promise<number>> {
  const read = async (): Promise<Located[]> => {
    const answer = await account.ledger({ page_size: mostEntries });
    return answer.status === 200 ? answer.at("data.items").items : [];
  };
  const before = await read();
  return async () => grantedBy(added(await read(), before));
}

/**
 * How many credits an action takes from the balance, once everything before and during it has settled, not counting
 * what the account is granted meanwhile.
 */
export async function fallOf(account: Account, act: () => Promise<void>): Promise<number> {
  await account.settled();
  const grantedSince = await watchGrants(account);
  const before = await account.credits();
  await act();
  await account.settled();
  const after = await account.credits();
  return before - after + (await grantedSince());
}
