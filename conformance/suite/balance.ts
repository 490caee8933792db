import type { Account } from "../subject/account.ts";

/** How many credits an action takes from the balance, once everything before and during it has settled. */
export async function fallOf(account: Account, act: () => Promise<void>): Promise<number> {
  await account.settled();
  const before = await account.credits();
  await act();
  await account.settled();
  return before - (await account.credits());
}
