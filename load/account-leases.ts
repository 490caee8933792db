import { WrongUse } from "../base/exit.ts";
import { Blocked, NotThere, Unmet, Unverifiable } from "../conformance/judge/verdict.ts";
import { Account, Stranger } from "../conformance/server/account.ts";
import type { Profile } from "../conformance/server/profile.ts";
import type { Session } from "../conformance/server/session.ts";
import { registerTrial } from "../conformance/server/trials.ts";
import type { Sender } from "./planned.ts";

/** An account used by a load, with all its keys. */
export interface AccountLease {
  account: Account;
  senders: readonly Sender[];
  /** Whether the profile names it; otherwise the load registered it. */
  fromProfile: boolean;
}

/**
 * Opens the accounts of a profile, and registers trials for those that are missing.
 * @throws Unverifiable if there is none
 */
export async function openLeases(
  session: Session,
  profile: Profile,
  wanted: number,
): Promise<AccountLease[]> {
  const { account, second_key_of_account: second, other_account: other, pool } = profile.credentials;
  const leases: AccountLease[] = [];
  const open = (fromProfile: boolean, label: string, ...keys: string[]): void => {
    const senders = keys.map((key, index) => {
      session.secrets.learn(key, "key");
      return { account: label, key, keyName: `key ${index + 1}`, pays: fromProfile };
    });
    leases.push({ account: new Account(session, profile, keys[0]!, label), senders, fromProfile });
  };
  if (account !== undefined) open(true, "account 1", account, ...(second === undefined ? [] : [second]));
  for (const key of [other, ...pool]) {
    if (key !== undefined && leases.length < wanted) open(true, `account ${leases.length + 1}`, key);
  }
  const stranger = new Stranger(session, profile);
  while (leases.length < wanted && profile.features.trial === undefined) {
    const trial = await registerTrial(stranger, `load ${leases.length + 1}`).catch(closedIn(leases));
    open(false, `trial ${leases.length + 1}`, trial.account.key);
  }
  if (leases.length === 0) throw new Unverifiable("there is no account", "credentials: {account: KEY}");
  return leases;
}

/**
 * Registration may be closed to a load, as to any stranger.
 * @throws Unverifiable where it is, and no account is given
 */
const closedIn =
  (leases: readonly AccountLease[]) =>
  (error: unknown): never => {
    const { status = 0 } = (error instanceof Blocked && error.exchange?.response) || {};
    if (leases.length > 0 || status < 400 || status >= 500 || status === 429) throw error;
    throw new Unverifiable(
      `there is no account, and none can be registered (${status})`,
      "credentials: {account: KEY}",
    );
  };

/** A trial, whose credits run out during a load. */
export async function smallLease(session: Session, profile: Profile, label: string): Promise<AccountLease> {
  const { account } = await registerTrial(new Stranger(session, profile), `load, ${label} balance`);
  return { account, senders: [{ account: label, key: account.key, keyName: "key 1" }], fromProfile: false };
}

/**
 * Compares the ledgers of a profile's keys, so that a wrong profile is not blamed on the server.
 * @param impatient reads without waiting for the audit: the comparison needs no entry that is yet to come
 * @throws WrongUse if the keys of one account read different ledgers, or those of two accounts the same
 */
export async function requireOwnKeys(impatient: Session, leases: readonly AccountLease[]): Promise<void> {
  const ledgers: { label: string; entries: ReadonlySet<string> }[] = [];
  for (const { account, senders } of leases.filter(({ fromProfile }) => fromProfile)) {
    const label = senders[0]!.account;
    const reading = new Account(impatient, account.profile, account.key, label);
    const entries = await newestOf(reading);
    const second = senders[1]?.key ?? null;
    if (entries === null) continue;
    if (second !== null) {
      const others = await newestOf(reading.withKey(second));
      if (others !== null && !overlap(entries, others))
        throw new WrongUse(
          `credentials: the ledgers read with account and with second_key_of_account share no entry: are they keys of two accounts?`,
        );
    }
    const same = ledgers.find((ledger) => overlap(ledger.entries, entries));
    if (same !== undefined)
      throw new WrongUse(
        `credentials: the keys of ${same.label} and ${label} read the same ledger entries: are they keys of one account?`,
      );
    ledgers.push({ label, entries });
  }
}

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((id) => other.has(id));

/** The entries of a ledger to compare. */
const page_size = 50;

/**
 * The newest ledger entries, as texts; null if there are none, or they cannot be read. Ids by themselves do not tell
 * accounts apart: a server may number each account's.
 */
async function newestOf(account: Account): Promise<ReadonlySet<string> | null> {
  try {
    const entries = await account.entries({ page_size });
    const names = ["id", "created_at", "entry_type", "amount_credits", "execution_id"];
    const texts = entries.map((entry) => names.map((name) => String(entry.at(name).value)).join(" "));
    return texts.length === 0 ? null : new Set(texts);
  } catch (error) {
    const kinds = [Blocked, Unmet, NotThere, Unverifiable];
    if (kinds.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}
