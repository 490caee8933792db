import type { Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import { wholeList } from "../../server/lists.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import type { Expect } from "../../judge/expect.ts";
import { momentOf } from "../../judge/instant.ts";
import { amountOf, balanceOf } from "../../judge/rows.ts";
import { idOf } from "../../books/listed.ts";
import { isPlainNumber } from "../../books/listed.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

/** The type of a ledger entry. @throws Blocked when it is not text */
export const typeOf = (entry: Located): string => entry.at("entry_type").string;

/** The ledger entry of a charged Call. @throws Blocked when it does not appear within `audit_lag` */
export async function entryOf(account: Account, call: Answer): Promise<Located> {
  const [entry] = await account.ledgerOf(call);
  if (entry) return entry;
  throw new Blocked("the charged Call left no ledger entry for this to build on", call.exchange);
}

/** The ledger entries of an account after Calls of two tools whose prices may differ, any two in a row of both. */
export async function withTwoPrices(account: Account, tool: Stage["tool"]): Promise<Located[]> {
  for (const role of ["charged", "charged_decimal", "charged"] as const) {
    await entryOf(account, await account.succeed(tool(role)));
  }
  return wholeList(account, "listLedger");
}

/**
 * Whether an account's ledger holds the entry of another.
 * @throws Unverifiable when it holds one of that id, and the id is a short number, which each account may have
 */
export function holdsEntry(ledger: readonly Located[], id: string): boolean {
  const holds = ledger.some((entry) => idOf(entry) === id);
  if (holds && isPlainNumber(id)) throw new Unverifiable("entries of two accounts may have the same number");
  return holds;
}

/** The immutable part of an entry; timestamps compare as instants, credits to the millionth. */
const lasting = (entry: Located): Record<string, unknown> => ({
  id: idOf(entry),
  entry_type: typeOf(entry),
  amount_credits: rounded(amountOf(entry)),
  source_system: entry.at("source_system").value ?? null,
  source_ref_type: entry.at("source_ref_type").value ?? null,
  source_ref_id: entry.at("source_ref_id").value ?? null,
  execution_id: entry.at("execution_id").value ?? null,
  created_at: momentOf(entry.at("created_at").value) ?? null,
  balance_before: rounded(balanceOf(entry, "before")),
  balance_after: rounded(balanceOf(entry, "after")),
});

const rounded = (credits: number | undefined): number | null =>
  credits === undefined ? null : Math.round(credits * 1e6) / 1e6;

/** Expects an entry to be unchanged since its first reading, except for fields that were absent then. */
export function expectSame(expect: Expect, first: Located, again: Located): void {
  const read = lasting(again);
  for (const [name, value] of Object.entries(lasting(first))) {
    if (value !== null) expect(read[name], `${name} of entry ${idOf(first)}`).toBe(value);
  }
}
