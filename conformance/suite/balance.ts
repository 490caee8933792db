import type { Account } from "../subject/account.ts";

/** By how many credits the balance falls through what is done, once everything before and after it has settled. */
export async function fallOf(account: Account, act: () => Promise<void>): Promise<number> {
  await account.settled();
  const before = await account.credits();
  await act();
  await account.settled();
  return before - (await account.credits());
}
