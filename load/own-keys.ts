import { WrongUse } from "../cli/exit.ts";
import type { Account } from "../conformance/server/account.ts";
import { Blocked, Unmet } from "../conformance/judge/verdict.ts";
import type { Seat } from "./run.ts";

/** The entries of a ledger to compare. */
const page_size = 50;

/**
 * Compares the ledgers of a profile's keys, so that a wrong profile is not blamed on the server.
 * @throws WrongUse if the keys of one account read different ledgers, or those of two accounts the same
 */
export async function requireOwnKeys(seats: readonly Seat[]): Promise<void> {
  const ledgers: { label: string; ids: ReadonlySet<string> }[] = [];
  for (const { account, senders } of seats.filter(({ fromProfile }) => fromProfile)) {
    const [ids, second] = [await idsOf(account), senders[1]?.key];
    if (ids === null) continue;
    if (second != null) {
      const others = await idsOf(account.withKey(second));
      if (others !== null && ids.isDisjointFrom(others))
        throw new WrongUse(
          `credentials: the ledgers read with account and with second_key_of_account share no entry: are they keys of two accounts?`,
        );
    }
    const same = ledgers.find((one) => !one.ids.isDisjointFrom(ids));
    if (same !== undefined)
      throw new WrongUse(
        `credentials: the keys of ${same.label} and ${account.label} read the same ledger entries: are they keys of one account?`,
      );
    ledgers.push({ label: account.label, ids });
  }
}

/** The ids of the newest ledger entries; null if there are none, or they cannot be read. */
async function idsOf(account: Account): Promise<ReadonlySet<string> | null> {
  try {
    const entries = await account.entries({ page_size });
    return entries.length === 0 ? null : new Set(entries.map((entry) => String(entry.at("id").value)));
  } catch (error) {
    if (error instanceof Blocked || error instanceof Unmet) return null;
    throw error;
  }
}
