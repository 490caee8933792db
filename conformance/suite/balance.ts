import type { Located } from "../judge/answer.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { grantedBy } from "../judge/rows.ts";
import { Unverifiable } from "../judge/verdict.ts";
import type { Account } from "../server/account.ts";
import { added } from "../books/listed.ts";
import { creditsOfPeriods } from "../books/unnamed.ts";

/** More ledger entries than any check causes. */
const maxEntries = 200;

/** The newest ledger entries of an account. @throws Blocked when they cannot be read */
export const newestEntries = (account: Account): Promise<Located[]> =>
  account.entries({ page_size: maxEntries });

/**
 * Begins to watch what an account is granted; returns a function that reads how many credits it was granted since. Where
 * the ledger cannot be read, none are seen.
 */
export async function watchGrants(account: Account): Promise<() => Promise<number>> {
  const read = async (): Promise<Located[] | null> => {
    const answer = await account.ledger({ page_size: maxEntries });
    return answer.status === 200 ? answer.at("data.items").items : null;
  };
  const before = await read();
  return async () => (before === null ? 0 : grantedBy(added((await read()) ?? before, before)));
}

/** The credits of a day or a plan of an account, by path; none where they cannot be read. */
export async function readPlans(account: Account): Promise<ReadonlyMap<string, number>> {
  const answer = await account.ask("getCredits");
  return answer.status === 200 ? creditsOfPeriods(answer.at("data")) : new Map();
}

/**
 * Explains a fall of the balance that no entry accounts for: none stands for credits of a day or a plan, an included Call
 * may use some, and the contract does not say whether what remains counts them.
 * @param missing what the balance has fallen by more than the entries consume
 * @throws Unverifiable where such credits have fallen by as much
 */
export function requireNoPlanUsed(
  missing: number,
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): void {
  for (const [path, amount] of before) {
    const left = now.get(path) ?? 0;
    if (left < amount && sameCredits(amount - left, missing))
      throw new Unverifiable(`what remains may count ${path}, which went from ${amount} to ${left}`);
  }
}

/**
 * How many credits an action takes from the balance, once everything before and during it has settled, not counting
 * what the account is granted meanwhile.
 */
export async function fallOf(account: Account, act: () => Promise<void>): Promise<number> {
  await account.settled();
  const grantedSince = await watchGrants(account);
  const fall = await netFallOf(account, act);
  return sumOf([fall, await grantedSince()]);
}

/**
 * How many credits less an account has after an action, once everything before and during it has settled: no more than
 * the action takes, since it may be granted some meanwhile. Needs neither an audit nor a ledger.
 */
export async function netFallOf(account: Account, act: () => Promise<void>): Promise<number> {
  await account.settled();
  const before = await account.credits();
  await act();
  await account.settled();
  return sumOf([before, -(await account.credits())]);
}
