import { readOne } from "../audit/history.ts";
import { ledger } from "../audit/ledger.ts";
import { notFound } from "../http/errors.ts";
import { type Operation, success } from "../http/operation.ts";

/** GET /auth/credits/ledger/{entry_id}: one of the caller's entries; another account's entry is unknown. */
export const getLedgerEntry: Operation<"getLedgerEntry"> = async ({ params, caller }, { database }) => {
  const entry = await readOne(ledger, { database, accountId: caller.account.id }, params.entry_id);
  if (!entry) throw notFound("No ledger entry of this id belongs to the account.");
  return { status: 200, body: success(entry) };
};
