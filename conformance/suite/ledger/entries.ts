import type { Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import { wholeList } from "../../server/lists.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import type { Expect } from "../../judge/expect.ts";
import { isFields } from "../../judge/seen.ts";
import { lastingOf } from "../../books/lasting.ts";
import { idOf, isPlainNumber } from "../../books/listed.ts";
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

/** The parts of an entry that never change, with its references. @throws Blocked when it is not an object */
function lasting(entry: Located): Record<string, unknown> {
  if (!isFields(entry.value)) throw new Blocked(`${entry.path} is not an entry`, entry.exchange);
  return {
    id: idOf(entry),
    source_system: entry.at("source_system").value ?? null,
    source_ref_type: entry.at("source_ref_type").value ?? null,
    source_ref_id: entry.at("source_ref_id").value ?? null,
    ...lastingOf(entry.value),
  };
}

/** Expects an entry to be unchanged since its first reading, except for fields that were absent then. */
export function expectSame(expect: Expect, first: Located, again: Located): void {
  const read = lasting(again);
  for (const [name, value] of Object.entries(lasting(first))) {
    if (value !== null) expect(read[name], `${name} of entry ${idOf(first)}`).toBe(value);
  }
}
