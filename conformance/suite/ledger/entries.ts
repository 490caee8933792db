import type { Account } from "../../subject/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { Blocked } from "../../judge/verdict.ts";

/** The type of a ledger entry. */
export const typeOf = (entry: Located): string => String(entry.at("entry_type").value);

/** The ledger entry of a charged Call. @throws Blocked when it does not appear within `audit_lag` */
export async function entryOf(account: Account, call: Answer): Promise<Located> {
  const [entry] = await account.ledgerOf(call);
  if (entry) return entry;
  throw new Blocked("the charged Call left no ledger entry, on which this builds", call.exchange);
}
