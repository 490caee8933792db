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
    const ids = await idsOf(account);
    const label = senders[0]!.account;
    const second = senders[1]?.key ?? null;
    if (ids === null) continue;
    if (second !== null) {
      const others = await idsOf(account.withKey(second));
      if (others !== null && !overlap(ids, others))
        throw new WrongUse(
          `credentials: the ledgers read with account and with second_key_of_account share no entry: are they keys of two accounts?`,
        );
    }
    const same = ledgers.find((one) => overlap(one.ids, ids));
    if (same !== undefined)
      throw new WrongUse(
        `credentials: the keys of ${same.label} and ${label} read the same ledger entries: are they keys of one account?`,
      );
    ledgers.push({ label, ids });
  }
}

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((id) => other.has(id));

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
